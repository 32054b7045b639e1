"""Source files to the data of an artifact, with everything that is wrong with them.

>>> compilation = compile_tree(read_tree(path), presets=shipped_presets())
>>> compilation.data          # None when there is an error
>>> compilation.diagnostics   # sorted by path, line and column
"""

from __future__ import annotations

from policyc.compiler.cache import CompileCache
from policyc.compiler.compile import Compilation, compile_tree
from policyc.compiler.presets import shipped_presets

__all__ = ["Compilation", "CompileCache", "compile_tree", "shipped_presets"]
