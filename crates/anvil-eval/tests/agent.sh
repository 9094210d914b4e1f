prompt=$(cat)
echo "$ANVIL_CHILD" >>"$PAID"
convinced=do opposed="do not"
case "$prompt" in *"we should not "*|*"We should not "*) convinced="do not" opposed=do;; esac
padding="All of it has been weighed. All of it has been weighed. All of it has been weighed. All of it has been weighed."
padding="$padding $padding $padding $padding $padding $padding $padding $padding"
padding="$padding $padding $padding $padding $padding"
motion=$(printf '%s\n' "$prompt" | grep '^motion: ' | tail -1)
second=$(printf '%s\n' "$prompt" | grep -c 'It costs a month' || true)
case "$prompt" in
"# One seat of a debate"*)
  case "${prompt##*## Now}" in
  *"── Advocate"*) case $second in
    0) echo "**A1. It pays.** Less work [reasoning].";;
    *) echo '**Rebuts C1:** "Nobody has it" is said of every month.';;
    esac;;
  *"── Critic"*) CRITIC
    case $second in
    0) printf '**C1. It costs a month.** Nobody has it [assumption].\n**Attacks A1:** "It pays" is a guess.\n';;
    *) echo '**Attacks A1:** "Less work" is not counted.';;
    esac;;
  *) printf 'Nobody has a month.\n\n### What to do\n\n1. Everybody: wait.\n\n```anvil\n%s\n' "$motion"
    printf 'A1 weakened: by C1\nC1 survived: nobody answered\nagainst: less work\nrecommendation: Wait.\nverdict: %s\n' "JUDGED"
    printf 'confidence: 60\nrests on: C1\nflips if: a month is found\nunknown: who has time\n```\n';;
  esac;;
*) printf '%s\n\n```anvil\n%s\nagainst: less work\nrecommendation: Wait.\nverdict: %s\n' "$padding" "$motion" "ALONE"
  printf 'confidence: 70\nflips if: a month is found\nunknown: who has time\n```\n';;
esac
