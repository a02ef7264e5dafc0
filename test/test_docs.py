"""The documentation is true."""

from pathlib import Path
import runpy

DOCS = Path(__file__).parent.parent / 'docs'


def test_page_of_keys_is_current():
    page = runpy.run_path(str(DOCS / 'make_keys.py'))['page']
    assert (DOCS / 'scenarios.md').read_text() == page()
