#!/usr/bin/env python3
"""Takes the pictures of the page: the card, by day, by night, on a phone and on paper.

    docs/pictures/pages.py ANVIL docs/pictures

ANVIL is the program; the page is that of its `demo`. Needs chromium, and pdftoppm of poppler.
"""

import pathlib
import subprocess
import sys
import tempfile

LIGHT, DARK = "1", "0"


def chromium(*args):
    line = ["chromium", "--headless=new", "--no-sandbox", "--hide-scrollbars", *map(str, args)]
    subprocess.run(line, check=True, capture_output=True)


def shoot(page, picture, size, scheme=LIGHT, scale=1):
    """Takes a picture of this part of a page: its width and height from the top."""
    chromium(
        f"--screenshot={picture}", f"--window-size={size[0]},{size[1]}",
        f"--force-device-scale-factor={scale}",
        f"--blink-settings=preferredColorScheme={scheme}", page.as_uri(),
    )


def beside(pictures, picture, size, folder):
    """Puts pictures next to each other."""
    page = folder / "beside.html"
    images = "".join(f'<img src="{one.name}">' for one in pictures)
    style = "body{display:flex;gap:12px;margin:12px;background:#888}img{min-width:0;flex:1}"
    page.write_text(f"<!doctype html><style>{style}</style>{images}")
    shoot(page, picture, size)


def main(program, target):
    with tempfile.TemporaryDirectory(prefix="pages-") as name:
        folder = pathlib.Path(name)
        variables = {"HOME": name, "TMPDIR": name, "PATH": "/usr/bin:/bin"}
        subprocess.run([program, "demo", "--keep"], check=True, capture_output=True, env=variables)
        page = next(folder.glob("anvil-demo-*/.claude/anvil.local/debates/*/report.html"))
        shoot(page, target / "card.png", (1000, 845))
        shoot(page, target / "light.png", (1000, 1250))
        shoot(page, target / "dark.png", (1000, 1250), DARK)
        phones = [folder / "day.png", folder / "night.png"]
        for phone, scheme in zip(phones, (LIGHT, DARK)):
            # A window has at least 500 pixels: the page stands in a frame of a phone's width.
            frame = folder / "frame.html"
            frame.write_text(
                "<!doctype html><style>*{margin:0;border:0}</style>"
                f'<iframe src="{page.as_uri()}" width="390" height="844"></iframe>'
            )
            shoot(frame, phone, (390, 844), scheme)
        beside(phones, target / "phone.png", (820, 868), folder)
        paper = folder / "paper.pdf"
        chromium(f"--print-to-pdf={paper}", "--no-pdf-header-footer", page.as_uri())
        subprocess.run(["pdftoppm", "-png", "-r", "60", paper, folder / "sheet"], check=True)
        beside(sorted(folder.glob("sheet-*.png")), target / "print.png", (1560, 740), folder)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
