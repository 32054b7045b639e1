"""The pull request of the example, and the comment that it gets, to the letter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples/pull-request"
COMMENT = """\
### policyc diff: 1 loosened, 0 tightened; proved that nothing else changes

<details open><summary>\N{LARGE RED CIRCLE} <b>loosened</b>: deny -&gt; allow</summary>
<ul>
<li>before: <code>rule &quot;cap&quot; of policy &quot;desk&quot;</code> in <code>main:bundles/desk/policies/desk.yaml:4</code></li>
<li>now: <code>rule &quot;accounts&quot; of policy &quot;desk&quot;</code> in <code>HEAD:bundles/desk/policies/desk.yaml:16</code></li>
<li>call: <code>{&quot;tool&quot;: &quot;payment.&quot;, &quot;args&quot;: {&quot;amount_cents&quot;: 100001, &quot;currency&quot;: &quot;EUR&quot;, &quot;to&quot;: &quot;DE0&quot;}}</code></li>
<li><code>deny -&gt; allow</code>: <code>2 recorded calls, by &quot;desk-1&quot; (1), &quot;desk-2&quot; (1), of &quot;payment.send&quot; (2)</code></li>
<li>such as <code>{&quot;tool&quot;: &quot;payment.send&quot;, &quot;args&quot;: {&quot;amount_cents&quot;: 150000, &quot;currency&quot;: &quot;EUR&quot;, &quot;to&quot;: &quot;DE12&quot;}, &quot;agent&quot;: &quot;desk-1&quot;}</code></li>
<li>such as <code>{&quot;tool&quot;: &quot;payment.send&quot;, &quot;args&quot;: {&quot;amount_cents&quot;: 180000, &quot;currency&quot;: &quot;EUR&quot;, &quot;to&quot;: &quot;DE77&quot;}, &quot;agent&quot;: &quot;desk-2&quot;}</code></li>
</ul>
</details>

<details><summary>Edits (1)</summary>
<ul>
<li><code>changed: rule &quot;cap&quot; of policy &quot;desk&quot;: clauses [{&quot;path&quot;: &quot;$.amount_cents&quot;, &quot;op&quot;: &quot;gt&quot;, &quot;value&quot;: 100000, &quot;match&quot;: &quot;any&quot;}] -&gt; [{&quot;path&quot;: &quot;$.amount_cents&quot;, &quot;op&quot;: &quot;gt&quot;, &quot;value&quot;: 200000, &quot;match&quot;: &quot;any&quot;}]</code> in <code>HEAD:bundles/desk/policies/desk.yaml:4</code></li>
</ul>
</details>

<code>5 recorded calls: 2 flipped, 1 not decided again (masked 1), of &quot;payment.send&quot; (1)</code>

"""  # noqa: E501 - as it is


def test_the_story_prints_the_comment(tmp_path):
    done = subprocess.run(
        [sys.executable, EXAMPLE / "story.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == COMMENT
    assert "$ git checkout -b larger-payments" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_readme_shows_what_the_comment_says():
    readme = (EXAMPLE / "README.md").read_text("utf-8")
    for said in (COMMENT.splitlines()[0], "desk.yaml:4", "desk.yaml:16", "2 recorded calls"):
        assert said in readme
        assert said in COMMENT
