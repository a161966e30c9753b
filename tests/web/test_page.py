"""The workbench in a real browser, walked as a person walks it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import calibrant as cb
from calibrant.tallies.store import from_json, to_document

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.web.conftest import Tab

ROOT = Path(__file__).parents[2]
DATA = ROOT / "src/calibrant/data"
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"

SEEDS = "probability,outcome\n0.1,0\n0.9,1\n0.8,1\n0.3,0\n0.6,1\n0.6,false\n"


def test_the_seeds_page_in_its_own_words(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    text = tab.page.inner_text("body")
    for words in (
        "Research workbench",
        "Probability Calibration Checker",
        "Check predicted probabilities against observed outcomes",
        "Input data",
        "Probability and outcome data",
        "Choose a CSV/TSV file",
        "CSV and TSV are supported; outcomes may be 0/1 or true/false.",
        "Pasted and uploaded data is processed only in your browser.",
        "Paste or load data with a header row to see calibration results.",
        "What data format does the checker accept?",
        "What does the Brier score measure?",
        "Why can ECE change when I change the number of bins?",
        "Does a softmax score mean a model is calibrated?",
        "Understanding probability calibration",
        "Reading the reliability diagram",
    ):
        assert words in text
    tab.page.fill("#pasted", SEEDS)
    tab.page.click("text=Check pasted data")
    tab.page.wait_for_selector(".sentence")
    assert tab.number("Brier score") == f"{(0.01 + 0.01 + 0.04 + 0.09 + 0.16 + 0.36) / 6:.4f}"
    assert "6 rows read, 6 used" in tab.page.inner_text(".source")
    assert tab.said == []


@pytest.mark.parametrize("name", ["breast-cancer.csv", "digits-answers.csv", "digits-choices.csv"])
def test_the_page_says_what_check_says(open_tab: Callable[..., Tab], name: str) -> None:
    tab = open_tab().load(DATA / name)
    report = json.loads(cb.check(str(DATA / name)).to_json())
    verdict = report["slices"][0]["verdict"]
    assert tab.page.inner_text(".sentence") == verdict["sentence"]
    assert tab.page.inner_text(".verdict") == verdict["meaning"]
    ece = "event_ece" if "event_ece" in report["slices"][0]["numbers"] else "confidence_ece"
    numbers = report["slices"][0]["numbers"]
    for label, key in (("Brier score", "brier"), ("ECE, 10 bins", ece), ("Debiased l2", "debiased_l2"), ("AUC", "auc")):
        assert tab.number(label) == f"{numbers[key]['value']:.4f}"
    assert tab.said == []


def test_pasting_is_enough(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    tab.page.focus("#pasted")
    tab.page.evaluate(
        """text => {
            const area = document.getElementById("pasted");
            const data = new DataTransfer();
            data.setData("text/plain", text);
            area.value = text;
            area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
        }""",
        SEEDS.replace(",", "\t"),
    )
    tab.page.wait_for_selector(".sentence")
    assert "pasted data" in tab.page.inner_text(".source")


def test_dropping_a_file(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    tab.page.evaluate(
        """text => {
            const data = new DataTransfer();
            data.items.add(new File([text], "dropped.csv"));
            document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }""",
        SEEDS,
    )
    tab.page.wait_for_selector(".sentence")
    assert "dropped.csv" in tab.page.inner_text(".source")


def test_sample_data(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    tab.page.click("text=569 tumours")
    tab.page.wait_for_selector(".sentence")
    assert "breast-cancer.csv" in tab.page.inner_text(".source")


def _slide(tab: Tab, bins: int) -> None:
    tab.page.evaluate(
        """bins => {
            const slider = document.getElementById("slider");
            slider.value = bins;
            slider.dispatchEvent(new Event("input"));
        }""",
        bins,
    )
    tab.page.wait_for_selector(f"#bins caption:has-text('{bins} bins')")


@pytest.mark.parametrize("bins", [5, 37])
def test_the_slider_changes_bins_without_reading_again(open_tab: Callable[..., Tab], bins: int) -> None:
    tab = open_tab().load(DATA / "breast-cancer.csv")
    before = len(tab.asked)
    _slide(tab, bins)
    report = json.loads(cb.check(str(DATA / "breast-cancer.csv"), bins=bins).to_json())["slices"][0]["numbers"]
    assert tab.number(f"Event ECE, {bins} bins") == f"{report['event_ece']['value']:.4f}"
    low, high = report["event_ece"]["low"], report["event_ece"]["high"]
    tab.page.wait_for_selector(f"#numbers td:has-text('{low:.4f}–{high:.4f}')")
    assert len(tab.asked) == before
    tab.page.check("input[name=binning][value=mass]")
    mass = json.loads(cb.check(str(DATA / "breast-cancer.csv"), bins=bins, binning="mass").to_json())
    value = mass["slices"][0]["numbers"]["event_ece"]["value"]
    tab.page.wait_for_selector(f"#numbers td:has-text('{value:.4f}')")
    assert tab.said == []


def test_other_column_names_are_mapped(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    rows = "who,chance,won\n" + "".join(f"{i},{i % 10 / 10},{'Sim' if i % 3 else 'Não'}\n" for i in range(60))
    tab.page.set_input_files("#file", {"name": "games.csv", "mimeType": "text/csv", "buffer": rows.encode()})
    tab.page.wait_for_selector(".mapping")
    tab.page.get_by_label("Probability", exact=True).select_option("chance")
    tab.page.get_by_label("Outcome", exact=True).select_option("won")
    tab.page.get_by_label("Words for yes").fill("Sim")
    tab.page.get_by_label("Words for no").fill("Não")
    tab.page.click(".mapping button.primary")
    tab.page.wait_for_selector(".sentence")
    assert "60 rows read, 60 used" in tab.page.inner_text(".source")
    assert "`chance` as probability" in tab.page.inner_text(".source")


def test_slices_by_a_column(open_tab: Callable[..., Tab]) -> None:
    rows = "probability,outcome,model\n"
    rows += "".join(f"{p / 10},{int((i * 7) % 10 < p)},good\n" for i in range(100) for p in (1, 3, 5, 7, 9))
    rows += "".join(f"0.95,{i % 2},bad\n" for i in range(200))
    tab = open_tab().load(text=rows)
    tab.page.click("text=Columns and slices")
    tab.page.locator(".mapping fieldset", has_text="Slices by").get_by_label("model").check()
    tab.page.click(".mapping button.primary")
    tab.page.wait_for_selector("text=Slices, worst first")
    assert tab.page.inner_text(".headline .kicker") == "model=bad"
    assert "When it says 95%, it happens 50%" in tab.page.inner_text(".sentence")
    tab.page.click("button:has-text('model=good')")
    assert tab.page.inner_text(".headline .kicker") == "model=good"
    assert tab.page.locator("button[aria-pressed=true]:has-text('model=good')").count() == 1


def test_ordered_levels(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    rows = "p_low,p_mid,p_high,label\n" + "0.2,0.5,0.3,mid\n0.1,0.2,0.7,high\n0.7,0.2,0.1,low\n0.3,0.4,0.3,high\n" * 10
    tab.load(text=rows)
    tab.page.click("text=Columns and slices")
    tab.page.get_by_label("The rows are").select_option("score")
    tab.page.click(".mapping button.primary")
    tab.page.wait_for_selector("text=Ranked probability score")
    expected = (0.2**2 + 0.3**2 + 0.1**2 + 0.3**2 + 0.3**2 + 0.1**2 + 0.3**2 + 0.7**2) / 4
    assert tab.number("Ranked probability score") == f"{expected:.4f}"


def test_left_out_rows_have_reasons_and_line_numbers(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab().load(text="p,y\n0.2,0\n\n1.7,1\n0.4,perhaps\n0.9,1\n1.8,0\n")
    text = tab.page.inner_text("#leftout")
    assert "3 rows left out" in text
    assert "probability is outside 0 to 1\t2\t4, 7" in text
    assert "outcome is not 0 or 1\t1\t5" in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("p,y\n", "no row"),
        ("p,y\n2,1\n", "None of 1 rows can be used"),
        ('p,y\n0.2,"0\n0.4,1\n', "A quote is opened in record 1"),
        ("{}", "not a tally"),
    ],
)
def test_what_cannot_be_read_gets_a_sentence(open_tab: Callable[..., Tab], text: str, said: str) -> None:
    tab = open_tab()
    tab.page.set_input_files("#file", {"name": "x.csv", "mimeType": "text/csv", "buffer": text.encode()})
    tab.page.wait_for_selector(".notice")
    assert said in tab.page.inner_text(".notice")


HOSTILE = (
    "<img src=x onerror=window.hit=1>",
    "<script>window.hit=1</script>",
    "</script><script>window.hit=1</script>",
    "' onmouseover='window.hit=1",
    "=HYPERLINK(1)",
    "javascript:window.hit=1",
    "${window.hit=1}",
)


def test_hostile_names_stay_text(open_tab: Callable[..., Tab]) -> None:
    quoted = ['"' + name.replace('"', '""') + '"' for name in HOSTILE]
    rows = f"p,y,{','.join(quoted)}\n" + "".join(f"0.{i % 9 + 1},{i % 2},{','.join(quoted)}\n" for i in range(40))
    name = "<img src=x onerror=window.hit=1>.csv"
    tab = open_tab().load(text=rows, name=name)
    tab.page.click("text=Columns and slices")
    box = tab.page.locator(".mapping fieldset", has_text="Slices by")
    for hostile in HOSTILE[:2]:
        box.get_by_label(hostile, exact=True).check()
    tab.page.click(".mapping button.primary")
    tab.page.wait_for_selector(".kicker:has-text('onerror')")
    assert name in tab.page.inner_text(".source")
    with tab.page.expect_download() as download:
        tab.page.click("text=Markdown")
    assert "<img" not in Path(download.value.path()).read_text().replace("\\<img", "")
    assert tab.page.evaluate("window.hit") is None
    assert tab.page.locator("#page img, #page script, #page iframe").count() == 0
    assert tab.said == []


def test_no_request_while_a_file_is_read(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    tab.page.context.set_offline(True)
    tab.load(DATA / "digits-choices.csv")
    _slide(tab, 20)
    asked = [url for url in tab.asked if not url.startswith(("blob:", "data:"))]
    assert asked == [tab.page.url]


def test_the_policy_stops_every_usual_way_out(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    tries = tab.page.evaluate(
        """async () => {
            const blocked = {};
            const add = (name, made) => new Promise((done) => {
                const heard = (event) => { blocked[name] = event.effectiveDirective; done(); };
                addEventListener("securitypolicyviolation", heard, { once: true });
                try { made(); } catch (error) { blocked[name] ??= String(error.name); done(); }
                setTimeout(done, 500);
            });
            await add("fetch", () => fetch("http://127.0.0.1:9/").catch(() => {}));
            await add("image", () => { new Image().src = "http://127.0.0.1:9/x.png"; });
            await add("script", () => {
                const script = document.createElement("script");
                script.textContent = "window.hit = 1";
                document.body.append(script);
            });
            await add("socket", () => new WebSocket("ws://127.0.0.1:9/"));
            return blocked;
        }"""
    )
    assert set(tries) == {"fetch", "image", "script", "socket"}
    assert tab.page.evaluate("window.hit") is None


def _downloaded(tab: Tab, button: str) -> tuple[str, bytes]:
    with tab.page.expect_download() as download:
        tab.page.click(f".exports button:has-text('{button}')")
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def test_everything_can_be_taken_away(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab().load(DATA / "breast-cancer.csv")
    name, svg = _downloaded(tab, "SVG")
    assert name.endswith(".svg")
    assert svg.startswith(b"<svg")
    assert b"var(" not in svg
    assert b"<script" not in svg
    assert b"When it says 2%" in svg
    name, png = _downloaded(tab, "PNG")
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20], "big") == 1120
    _, csv = _downloaded(tab, "CSV")
    lines = csv.decode().splitlines()
    assert lines[0] == "low,high,n,mean_probability,observed,observed_low,observed_high,gap"
    assert len(lines) == 11
    assert sum(int(line.split(",")[2]) for line in lines[1:]) == 569
    _, markdown = _downloaded(tab, "Markdown")
    assert markdown.decode().startswith("# When it says 2%, it happens 13%")
    assert tab.said == []


@pytest.mark.parametrize("name", ["breast-cancer.csv", "digits-choices.csv"])
def test_the_tally_is_the_one_that_python_makes(open_tab: Callable[..., Tab], name: str) -> None:
    _, text = _downloaded(open_tab().load(DATA / name), "Tally")
    theirs = from_json(text)
    ours = cb.tally(str(DATA / name))
    mine, yours = to_document(ours)["slices"][0], to_document(theirs)["slices"][0]
    assert mine["views"] == yours["views"]
    for first, second in zip(mine["moments"]["first"], yours["moments"]["first"], strict=True):
        assert first == pytest.approx(second, rel=1e-12)
    for key in mine.keys() - {"views", "moments"}:
        assert mine[key] == yours[key], key
    assert cb.check(theirs).to_text() != ""


def test_a_tally_can_be_opened(open_tab: Callable[..., Tab], tmp_path: Path) -> None:
    from calibrant.tallies.store import to_json

    place = tmp_path / "tally.json"
    place.write_text(to_json(cb.tally(str(DATA / "breast-cancer.csv"))))
    tab = open_tab().load(place)
    assert "When it says 2%, it happens 13%" in tab.page.inner_text(".sentence")


def test_copying_a_summary(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(permissions=["clipboard-read", "clipboard-write"]).load(DATA / "breast-cancer.csv")
    tab.page.click("text=Copy summary")
    tab.page.wait_for_selector("text=Copied.")
    text = tab.page.evaluate("navigator.clipboard.readText()")
    assert text.startswith("When it says 2%, it happens 13% of the time")
    assert "http" not in text


def test_portuguese(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(locale="pt-BR").load(DATA / "breast-cancer.csv")
    assert tab.page.inner_text(".sentence").startswith("Quando diz 2%, acontece em 13% das vezes")
    assert tab.page.get_attribute("html", "lang") == "pt-BR"
    assert tab.number("Brier") == "0,1561"
    tab.page.click("text=English")
    assert tab.page.inner_text(".sentence").startswith("When it says 2%")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_tab: Callable[..., Tab], scheme: str) -> None:
    if not AXE.exists():
        pytest.skip("the page's packages are not installed: npm ci in web/")
    tab = open_tab(color_scheme=scheme)
    tab.page.evaluate(AXE.read_text())
    run = """axe.run(document, { resultTypes: ["violations"] }).then((found) => found.violations.map(
        (one) => one.id + ": " + one.nodes.map((node) => node.html.slice(0, 160)).join(" | ")))"""
    assert tab.page.evaluate(run) == []
    tab.load(DATA / "breast-cancer.csv")
    assert tab.page.evaluate(run) == []
    tab.page.click("text=Columns and slices")
    assert tab.page.evaluate(run) == []


def test_everything_is_reached_by_keyboard(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab().load(DATA / "breast-cancer.csv")
    tab.page.evaluate("document.activeElement.blur()")
    reached = set()
    for _ in range(40):
        tab.page.keyboard.press("Tab")
        reached.add(tab.page.evaluate("document.activeElement.textContent.trim() || document.activeElement.id"))
    assert {"Skip to results", "slider", "Figure as SVG", "Copy summary", "Check other data", "Português"} <= reached
    tab.page.focus("#slider")
    tab.page.keyboard.press("ArrowRight")
    tab.page.wait_for_selector("#bins caption:has-text('11 bins')")


def test_every_figure_has_a_name_and_a_table(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab().load(DATA / "breast-cancer.csv")
    names = tab.page.locator("#figure svg").evaluate_all("all => all.map(svg => svg.getAttribute('aria-label'))")
    assert len(names) == 2
    assert "Reliability diagram of 10 bins. When it says 2%" in names[0]
    tab.page.get_by_role("radio", name="Table").check()
    assert tab.page.locator("#figure table tbody tr").count() == 10


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1200, "dark")])
def test_nothing_is_wider_than_the_screen(open_tab: Callable[..., Tab], width: int, scheme: str) -> None:
    tab = open_tab(viewport={"width": width, "height": 800}, color_scheme=scheme).load(DATA / "digits-choices.csv")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    paper = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (max(int(part) for part in paper[4:-1].split(",")) < 64) is (scheme == "dark")


def test_print_leaves_the_tools_away(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab().load(DATA / "breast-cancer.csv")
    tab.page.emulate_media(media="print")
    assert not tab.page.locator(".exports").is_visible()
    assert tab.page.locator(".sentence").is_visible()
    assert tab.page.locator("#bins table").is_visible()


def test_a_million_rows_leave_the_page_responsive(open_tab: Callable[..., Tab], tmp_path: Path) -> None:
    place = tmp_path / "million.csv"
    body = "".join(f"0.{i % 1000:03d},{int(i * 7919 % 1000 < i % 1000)}\n" for i in range(100_000))
    place.write_text("p,y\n" + body * 10)
    tab = open_tab()
    tab.page.evaluate(
        """() => {
            window.gaps = [];
            let last = performance.now();
            const tick = () => {
                const now = performance.now();
                window.gaps.push(now - last);
                last = now;
                requestAnimationFrame(tick);
            };
            requestAnimationFrame(tick);
        }"""
    )
    tab.page.set_input_files("#file", str(place))
    tab.page.wait_for_selector("progress")
    tab.page.wait_for_selector(".sentence")
    assert "1,000,000 rows read, 1,000,000 used" in tab.page.inner_text(".source")
    # A frame in 16 ms is usual; half a second is what a busy test machine may add.
    assert tab.page.evaluate("Math.max(...window.gaps)") < 1000


def test_reading_can_be_cancelled(open_tab: Callable[..., Tab], tmp_path: Path) -> None:
    place = tmp_path / "long.csv"
    place.write_text("p,y\n" + "0.123456789,1\n0.9876543,0\n" * 1_000_000)
    tab = open_tab()
    tab.page.set_input_files("#file", str(place))
    tab.page.click("button:has-text('Cancel')")
    assert "cancelled" in tab.page.inner_text(".notice")
    tab.load(text=SEEDS)
    assert tab.number("Brier score") != ""


def test_the_first_screen_is_a_sentence(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab().load(DATA / "breast-cancer.csv")
    place: dict[str, Any] = tab.page.locator(".sentence").bounding_box()
    assert place["y"] + place["height"] < 450
