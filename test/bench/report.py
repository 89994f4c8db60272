"""report.py OUT: the table and the plot of made-up rows, whose numbers are known."""

import pathlib
import sys
import xml.dom.minidom

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import growth  # noqa: E402
import plot  # noqa: E402
import report  # noqa: E402
from gpuvm import bytes_moved  # noqa: E402
from model import Row, Target  # noqa: E402


def spread(value):
    return {"median": value, "p10": value, "p90": value, "n": 20}


def times(device, wall):
    return {"device_us": spread(device), "wall_us": spread(wall), "host_us": spread(wall - device)}


plan = {"kernels": 2, "dispatches": 3, "barriers": 1, "bytes_moved": 4_000_000}
rows = [Row("fast", {**times(10.0, 12.0), "graphics_mhz": spread(1980), "memory_mhz": spread(3201)}, {"torch": times(20.0, 40.0)}, {"torch": "eager"}, 9_600_000,
            target=Target(0.95), error=1e-7, bound=1e-6, plan=plan),
        Row("slow", times(8.0, 9.0), bytes=2_000_000, target=Target(0.9), plan=plan),
        Row("cold & <old>", {"wall_us": spread(50.0)}, {"IREE vulkan": {"wall_us": spread(75.0)}},
            target=Target(1.0, "IREE vulkan"), plan=plan),
        Row("busy", times(4.0, 5.0), {"torch": times(1.0, 2.0)}, bytes=100, operations=2000000,
            target=Target(0.5, "torch"), plan=plan, counts=(6000, "pairs")),
        Row("counted", times(4.0, 5.0), target=Target(1e9, "rate"), plan=plan, counts=(2000, "instructions")),
        Row("alone", times(4.0, 5.0), target=Target(1.0, "torch"), plan=plan)]
for row in rows:
    row.set_limit(1000.0, 1e12 if row.operations else None)
result = {"title": "Made up", "rows": [row.json() for row in rows], "notes": [],
          "left_out": ["one: no reason"], "copy_gbps": spread(1000.0)}
where = {"device": "paper"}
print(report.markdown(where, {"made": result}))
picture = plot.svg(where, {"made": result})
xml.dom.minidom.parseString(picture)
print(picture)
grown = growth.svg("Grown & <big>", {"machines": {"gpuvm": [(1000, 2e8), (100000, 5e9)], "torch": [(1000, 1e7)]}, "nothing": {}})
xml.dom.minidom.parseString(grown)
print(grown)
manifest = {"kernels": [{"bindings": [{"binding": 0, "reads": True, "writes": True}]}],
            "commands": [{"op": "repeat", "commands": 2, "times": 5}, {"op": "dispatch", "kernel": 0, "windows": [{"binding": 0, "length": 100}]},
                         {"op": "copy", "source": {"length": 7}}, {"op": "fill", "window": {"length": 3}}]}
print("moved:", bytes_moved(manifest))
