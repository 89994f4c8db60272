"""vm_plan_page through ctypes, in the process's own words.

  page.py LIBRARIES FOLDER    the plan, its profile and pages of page.test
"""

import ctypes
import pathlib
import sys

libraries, folder = map(pathlib.Path, sys.argv[1:])
library = ctypes.CDLL(sorted(libraries.glob("libgpuvm.so.*"))[0])
library.vm_plan_page.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int,
                                 ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t)]
library.vm_page_free.argtypes = [ctypes.c_void_p]
library.vm_last_error.argtypes = [ctypes.c_void_p]
library.vm_last_error.restype = ctypes.c_char_p


def page(plan, title=b"a.gvplan", profile=None, code=3):
    """The page, or the sentence that says why there is none."""
    html, size = ctypes.c_void_p(1), ctypes.c_size_t()
    status = library.vm_plan_page(plan, len(plan or b""), title, profile, code, ctypes.byref(html), ctypes.byref(size))
    if status:
        assert html.value is None
        return status, library.vm_last_error(None).decode()
    text = ctypes.string_at(html, size.value + 1)
    library.vm_page_free(html)
    assert text[-1] == 0
    return text[:-1]


plan = (folder / "a.gvplan").read_bytes()
profile = (folder / "a.json").read_bytes()
assert page(plan, profile=profile) == (folder / "all.html").read_bytes()
assert page(plan, code=0) == (folder / "none.html").read_bytes()
assert b"<title>scale</title>" in page(plan, title=None)
assert page(plan, code=4) == (2, "What a page has of kernels is GPUVM_PAGE_GLSL, GPUVM_PAGE_SPIRV, both or 0, not 4.")
assert page(plan[:-1])[0] == 3
assert page(plan, profile=b"{}") == (3, '"profile" is no profile (what gpuvm-run --profile=json prints).')
status, sentence = page(plan, profile=profile.replace(b'"scale"', b'"other"'))
assert status == 3 and "is the profile of another plan" in sentence, sentence
assert page(None)[0] == 3
library.vm_page_free(None)
