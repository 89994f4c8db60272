"""Applications of examples/, whole: from the data that a user has to the answer. app_NAME.py says what its peers do."""

import importlib

TITLE = "Applications"
APPS = ("tpch", "planets", "box", "recording", "packages", "connect4")


def cases(device, options):
    for app in APPS:
        yield from importlib.import_module(f"app_{app}").cases(device, options)
