"""The HTML page in a real browser: what it shows, its keys, its colours, its widths, what it asks the network for."""
import json
import pathlib

import pytest
from selenium.webdriver.common.keys import Keys

import journals
import red_corpus
from browser import CHROMIUM, DRIVER, Browser

for needed in (CHROMIUM, DRIVER):
    if not pathlib.Path(needed).exists():
        raise RuntimeError(f"{needed} is missing: run ./ci/setup, which installs it")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    one = Browser(tmp_path_factory.mktemp("profile"))
    yield one
    one.close()


@pytest.fixture(scope="module")
def red(tmp_path_factory):
    """The thirty red cases as a page, and the same as a JSON report."""
    folder = tmp_path_factory.mktemp("red")
    red_corpus.write(folder)
    done = red_corpus.run(folder, "--html", "page.html", "--json", "r.json")
    assert done.returncode == 2, done.stderr
    report = json.loads((folder / "r.json").read_text())
    report["red"] = [c for c in report["checks"] if c["verdict"]["kind"] not in {"held", "skipped", "not_run", "left_out"}]
    return folder / "page.html", report


@pytest.fixture
def page(browser, red):
    browser.open(red[0])
    return browser


def made(folder, events, name="made"):
    path = folder / f"{name}.html"
    done = red_corpus.report(folder, journals.write(folder / f"{name}.jsonl", events), "--html", path)
    assert not done.stderr
    return path


def shown(browser):
    return browser.js("return [...document.querySelectorAll('.case')].filter(c => !c.hidden).map(c => c.querySelector('.id').textContent)")


def text_of(browser, selector):
    return browser.js("return document.querySelector(arguments[0]).innerText", selector)


def test_it_asks_nobody_for_anything_and_says_nothing_in_the_console(page, red):
    page.js("document.querySelectorAll('.case').forEach(c => { c.open = true; })")
    assert page.console() == []
    # The browser's own start page may still have been loading.
    assert {r for r in page.requests() if not r.startswith(("data:", "chrome:", "chrome-untrusted:", "about:"))} == {f"file://{red[0]}"}
    html = red[0].read_text()
    assert "http-equiv=\"Content-Security-Policy\"" in html and "default-src 'none'" in html


def test_totals_and_grid_are_those_of_the_report(page, red):
    report = red[1]
    asked = sum(report["totals"].values()) - report["totals"]["left_out"]
    assert text_of(page, "#headline") == f"{len(report['red'])} of {asked} checks are red · 1 broken file"
    tiles = page.js("return Object.fromEntries([...document.querySelectorAll('.tile')].map(t => [t.dataset.verdict, Number(t.querySelector('b').textContent)]))")
    assert tiles == {kind: count for kind, count in report["totals"].items() if count}
    rows = page.js("return [...document.querySelectorAll('#grid tbody tr')].map(r => r.querySelector('th').textContent)")
    assert sorted(rows) == sorted({c["id"] for c in report["cases"]})
    assert "Broken file cases/by/broken-file.yaml" in text_of(page, "#notices")


def test_the_most_important_red_case_is_open_with_all_that_helps(page):
    first = page.js("return document.querySelector('.case').innerText")
    assert page.js("return document.querySelector('.case').open")
    for part in ("RELAPSED", "by/red-02-relapsed", "It was unchecked: 2.", "It is checked now.", "https://example.com/incidents/2",
                 "cases/by/red-02-relapsed.yaml:22", "relapse run by/red-02-relapsed@cpu/failing:raise", "failing step", "logits", "[64, 48]",
                 "loss = cross_entropy_loss(logits, target)"):
        assert part.lower() in first.lower(), part


def test_filters_work_by_keyboard_alone(page, red):
    kinds = {}
    for check in red[1]["checks"]:
        kinds.setdefault(check["verdict"]["kind"], set()).add(check["case"])
    everything = shown(page)
    page.keys("/")
    assert page.js("return document.activeElement.id") == "f-text"
    page.keys("timed_out")
    assert set(shown(page)) == kinds["timed_out"]
    assert "in 2 cases of 29" in text_of(page, "#count")
    page.keys(Keys.ESCAPE)
    assert shown(page) == everything
    # From the search to the verdicts by Tab, and to the next choice by arrow.
    page.keys(Keys.TAB)
    assert page.js("return document.activeElement.id") == "f-verdict"
    page.keys("relapsed")
    assert set(shown(page)) == kinds["relapsed"]
    page.keys(Keys.ESCAPE)
    # A tile, by Enter.
    page.js("document.querySelector('.tile[data-verdict=unstable]').focus()")
    page.keys(Keys.ENTER)
    assert set(shown(page)) == kinds["unstable"]
    assert page.js("return document.querySelector('.tile[data-verdict=unstable]').getAttribute('aria-pressed')") == "true"
    page.keys(Keys.ESCAPE)
    page.keys("r")
    assert set(shown(page)) == {c["case"] for c in red[1]["red"]}
    page.keys("r")
    assert shown(page) == everything
    page.keys("j")
    page.keys("j")
    assert page.js("return document.activeElement.closest('.case').querySelector('.id').textContent") == everything[1]
    page.keys(Keys.ENTER)
    assert page.js("return document.activeElement.closest('.case').open")
    page.keys("k")
    assert page.js("return document.activeElement.closest('.case').querySelector('.id').textContent") == everything[0]


def test_a_search_that_finds_nothing_says_so(page):
    page.keys("/")
    page.keys("no such thing")
    assert shown(page) == [] and page.js("return !document.getElementById('none').hidden")
    assert text_of(page, "#count").startswith("0 checks in 0 cases")


def test_a_cell_of_the_grid_opens_its_case(page):
    page.js("[...document.querySelectorAll('.cell')].find(c => c.getAttribute('aria-label').startsWith('by/red-05-broken')).focus()")
    page.keys(Keys.ENTER)
    assert page.js("return document.activeElement.closest('.case').querySelector('.id').textContent") == "by/red-05-broken"
    assert page.js("return document.activeElement.closest('.case').open")


def test_pictures_say_in_words_what_they_show(page):
    page.js("[...document.querySelectorAll('.case')].find(c => c.querySelector('.id').textContent === 'by/red-05-broken').open = true")
    page.js("return new Promise(requestAnimationFrame)")
    labels = page.js("return [...document.querySelectorAll('.picture svg')].map(s => s.getAttribute('aria-label'))")
    assert "Where loss.same_as differs. 96 elements of [64, 48] differ, in 16 of 1,024 cells of the map; most (6) in rows 16 to 17, columns 0 to 1." in labels
    assert ("How far loss.same_as is off. Distances from 10⁻⁴ to 10⁴, a decade a bar; the tallest bar is 60 elements. "
            "2 elements without a finite distance (NaN, infinities).") in labels
    line = page.js("return document.querySelector('#timeline svg title').textContent")
    assert " processes on cpu in " in line and "with a red check (tall and red); the longest was by/red-" in line


def test_every_part_has_a_name_for_a_screen_reader(page):
    page.js("document.querySelectorAll('.case').forEach(c => { c.open = true; })")
    page.js("return new Promise(requestAnimationFrame)")
    nameless = page.js("""
      const named = (n) => (n.getAttribute('aria-label') || n.textContent || '').trim() || n.labels?.length || n.getAttribute('aria-labelledby');
      return [...document.querySelectorAll('button, a, select, input, summary, svg[role=img], section')].filter((n) => !named(n)).map((n) => n.outerHTML.slice(0, 120));""")
    assert nameless == []
    assert page.js("return [...document.querySelectorAll('table')].filter(t => !t.caption).length") == 0
    assert page.js("return [...document.querySelectorAll('thead th')].filter(h => h.scope !== 'col').length") == 0
    assert page.js("return [...document.querySelectorAll('svg:not([role=img])')].length") == 0
    assert page.js("return ['header', 'main', 'footer', '[role=search]'].filter(s => document.querySelectorAll(s).length < 1)") == []
    assert page.js("return document.documentElement.lang") == "en"
    levels = page.js("return [...document.querySelectorAll('h1, h2, h3, h4, h5')].map(h => Number(h.tagName[1]))")
    assert levels[0] == 1 and all(b - a <= 1 for a, b in zip(levels, levels[1:]))
    # Nothing takes the focus out of the order of the page.
    assert page.js("return [...document.querySelectorAll('[tabindex]')].filter(n => n.tabIndex > 0).length") == 0
    assert page.js("return [...document.querySelectorAll('[id]')].map(n => n.id).filter((id, i, all) => all.indexOf(id) !== i)") == []
    page.js("document.body.focus()")


@pytest.mark.parametrize("width", [380, 1280])
def test_nothing_overflows(browser, red, width):
    browser.open(red[0], width=width)
    browser.js("document.querySelectorAll('.case').forEach(c => { c.open = true; })")
    browser.js("return new Promise(requestAnimationFrame)")
    assert browser.js("return document.documentElement.scrollWidth") <= width
    wide = browser.js("""return [...document.querySelectorAll('body *')].filter((n) => !n.closest('.scroll, .inner, pre, svg, .visually-hidden, .skip')
      && n.getBoundingClientRect().right > innerWidth + 1).map((n) => n.outerHTML.slice(0, 120))""")
    assert wide == []


def luminance(colour):
    parts = [int(p) / 255 for p in colour[colour.index("(") + 1:-1].split(",")[:3]]
    parts = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a, b):
    one, two = sorted((luminance(a), luminance(b)), reverse=True)
    return (one + 0.05) / (two + 0.05)


CONTRASTS = """
const background = (n) => { for (; n; n = n.parentElement) { const c = getComputedStyle(n).backgroundColor; if (!c.endsWith(', 0)') && c !== 'transparent') return c; } };
const seen = new Map();
for (const n of document.querySelectorAll('.badge, .cell, .tile, .tile b, .facts, .count, h2, h3, h4, dt, dd, td, th, a, summary, pre, footer p, .theme button, .headline'))
  if (n.textContent.trim() && !n.closest('[hidden]')) seen.set(getComputedStyle(n).color + background(n), [getComputedStyle(n).color, background(n), n.className || n.tagName]);
return [...seen.values()];"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system_and_can_be_read(browser, red, scheme):
    browser.open(red[0], scheme=scheme)
    browser.js("document.querySelectorAll('.case').forEach(c => { c.open = true; })")
    browser.js("return new Promise(requestAnimationFrame)")
    ground = browser.js("return getComputedStyle(document.body).backgroundColor")
    assert (luminance(ground) < 0.1) == (scheme == "dark")
    poor = [(what, round(contrast(a, b), 2)) for a, b, what in browser.js(CONTRASTS) if contrast(a, b) < 4.5]
    assert poor == []


def test_colours_can_be_switched_by_key_whatever_the_system_says(browser, red):
    browser.open(red[0], scheme="dark")
    dark = browser.js("return getComputedStyle(document.body).backgroundColor")
    browser.keys("t")
    assert browser.js("return document.documentElement.dataset.theme") == "light"
    assert luminance(browser.js("return getComputedStyle(document.body).backgroundColor")) > 0.8
    browser.scheme("light")
    browser.keys("t")
    assert browser.js("return getComputedStyle(document.body).backgroundColor") == dark
    assert browser.js("return document.querySelector('[data-theme-choice=dark]').getAttribute('aria-pressed')") == "true"


HOSTILE = ["</script><script>window.hurt = 1</script>", "<img src=x onerror='window.hurt = 1'>", "\"'><svg onload='window.hurt = 1'>",
           "javascript:window.hurt=1", "<!--<script>", "]]>", "@{data}@", "\u2028\u2029\u0000\u202e", "&lt;b&gt;"]


def test_hostile_text_in_every_place_stays_text(browser, tmp_path):
    for number, poison in enumerate(HOSTILE):
        events = journals.run(3, lambda n: ["broken", "held", "case_error"] if n else ["skipped"], text=lambda place: poison + place)
        events[2:2] = [{"event": "device_found", "device": poison, "present": False, "required": True, "reason": poison},
                       {"event": "case_broken", "case": poison, "file": poison, "messages": [poison, poison]}]
        path = made(tmp_path, events, f"hostile-{number}")
        browser.open(path)
        browser.js("document.querySelectorAll('details').forEach(c => { c.open = true; })")
        browser.js("return new Promise(requestAnimationFrame)")
        assert browser.js("return window.hurt") is None, poison
        assert browser.js("return document.querySelectorAll('img, iframe, object, embed, script:not([type])').length") == 1, poison
        assert browser.js("return [...document.querySelectorAll('a')].map(a => a.protocol).filter(p => !['http:', 'https:', 'file:'].includes(p))") == []
        assert browser.console() == [], poison
        if poison.isprintable():
            assert poison in browser.js("return document.querySelector('.case .title').textContent")


def test_five_thousand_checks_are_quick(browser, tmp_path):
    kinds = lambda n: ["broken" if n % 25 == 0 and i == 3 else "held" for i in range(10)]
    path = made(tmp_path, journals.run(500, kinds))
    browser.open(path)
    load = browser.js("const t = performance.getEntriesByType('navigation')[0]; return t.loadEventEnd - t.startTime")
    spent = browser.js("""
      const input = document.getElementById('f-text');
      const one = (text) => { const start = performance.now(); input.value = text; input.dispatchEvent(new Event('input', {bubbles: true}));
        document.body.getBoundingClientRect(); return performance.now() - start; };
      return ['case-00', 'broken', 'nothing', ''].map(one);""")
    print(f"5,000 checks: {path.stat().st_size / 1e6:.1f} MB, loaded in {load:.0f} ms, filtered in {max(spent):.0f} ms")
    assert text_of(browser, "#count") == "5,000 checks in 500 cases"
    assert load < 3000 and max(spent) < 500
    assert browser.console() == []


def test_a_green_run_and_one_without_anything_have_pages_too(browser, tmp_path):
    browser.open(made(tmp_path, journals.run(2, lambda n: ["held"]), "green"))
    assert text_of(browser, "#headline") == "every check held (2)"
    assert browser.js("return document.querySelectorAll('.case[open]').length") == 0
    browser.open(made(tmp_path, journals.run(2, lambda n: ["held"])[:2], "killed"))
    assert text_of(browser, "#headline") == "the run did not end"
    assert browser.console() == []
