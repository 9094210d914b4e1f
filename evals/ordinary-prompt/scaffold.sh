#!/bin/sh
# A debate of another session in progress, in the project of the case.
set -eu
mkdir -p .claude
cat >.claude/anvil-state.local.md <<'DEBATE'
---
active: true
question: "Should the blog move to a static site?"
mode: analyst
phase: critic
round: 1
max_rounds: 2
started_at: "2026-11-21T01:55:00Z"
schema: 3
id: "blog"
status: in_progress
session_id: "another-session"
step: 2
---

# Should the blog move to a static site?

## Round 1

### Advocate
<!-- anvil {"at":"2026-11-21T01:55:41Z","words":12} -->
> **A1. It is read more than written.** One post a week [reasoning].
DEBATE
