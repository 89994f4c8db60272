"""Results as markdown. Works on the JSON form of rows (model.Row.json)."""

from measure import number, table


def share(fraction):
    return f"{100 * fraction:.1f} %"


def goal_text(row):
    """The target with whether it is met, as `>= 95 % of the limit: met`."""
    if not row["target"]:
        return ""
    wanted = f">= {100 * row['target']['fraction']:.0f} % of {row['target']['of']}"
    if row["target"]["of"] == "rate":
        wanted = f">= {row['target']['fraction']:.3g} {row['counts'][1]}/s"
    if row["reached"] is None:
        return f"{wanted}: not measured"
    return f"{wanted}: {'met' if row['met'] else 'missed'}"


def clock_text(times):
    """Clocks of the device right after our samples, in MHz: `graphics / memory`."""
    if "graphics_mhz" not in times:
        return "-"
    return f"{number(times['graphics_mhz']['median'])} / {number(times['memory_mhz']['median'])}"


def cells(row):
    """One row of the table; peers have a few columns each."""
    result = {"what": row["what"], **row["extra"]}
    if "device_us" in row["ours"]:
        result["device us"] = row["ours"]["device_us"]
        if row["stages"]:
            result["device us a stage"] = row["ours"]["device_us"]["median"] / row["stages"]
    if row["counts"]:
        count, what = row["counts"]
        time = row["ours"].get("device_us", row["ours"]["wall_us"])["median"]
        result[f"{what}/s"] = f"{count / time * 1e6:.3g}"
    if "host_us" in row["ours"]:
        result["host us"] = row["ours"]["host_us"]
    result["wall us"] = row["ours"]["wall_us"]
    for peer, times in row["peers"].items():
        key = "device" if "device_us" in times else "wall"
        result[f"{peer}, {key} us"] = times[f"{key}_us"]
        if key == "device":
            if row["stages"]:
                result[f"{peer}, device us a stage"] = times["device_us"]["median"] / row["stages"]
            if "wall_us" in times:
                result[f"{peer}, wall us"] = times["wall_us"]
        result[f"x {peer}"] = f"{number(row['against'][peer])}"
    if row["forms"]:
        result["forms of peers"] = "; ".join(row["forms"].values())
    if row["limit_us"]:
        result["limit us"] = f"{number(row['limit_us'])} ({row['limit']})"
        if row["fraction"]:
            result["of the limit"] = share(row["fraction"])
    if row["target"]:
        result["target"] = goal_text(row)
    if row["bytes"]:
        result["bytes"] = row["bytes"]
    result["clock MHz"] = clock_text(row["ours"])
    result["n"] = row["ours"]["wall_us"]["n"]
    if row["error"] is not None:
        result["error (bound)"] = f"{row['error']:.1e} ({row['bound']:.0e})"
    return result


def aligned(lines):
    """The same with the columns of the fullest line first, so that peers that only some rows
    have stay next to the others."""
    fullest = max(lines, key=len, default={})
    return [{key: line.get(key) for key in [*fullest, *line]} for line in lines]


def shortfall(row):
    """How far a row falls short of its target, and what of the plan bears on it."""
    wanted, plan = row["target"], row["plan"]
    reasons = [f"{plan['kernels']} kernels, {plan['dispatches']} dispatches, "
               f"{plan['barriers']} barriers"]
    if row["bytes"] and plan["bytes_moved"] > 1.05 * row["bytes"]:
        reasons.append(f"the plan moves {plan['bytes_moved'] / row['bytes']:.2f} x the bytes needed")
    if row["target"]["of"] == "rate":
        return (f"{row['what']}: {row['reached']:.3g} {row['counts'][1]}/s, {wanted['fraction']:.3g} wanted ({'; '.join(reasons)})")
    return (f"{row['what']}: {share(row['reached'])} of {row['target']['of']}, {share(wanted['fraction'])} "
            f"wanted ({'; '.join(reasons)})")


def part(result):
    lines = [f"\n## {result['title']}\n"]
    rows = [row for row in result["rows"] if "ours" in row]
    lines.append(table(aligned([cells(row) for row in rows]) or result["rows"]))
    if "copy_gbps" in result:
        copy = result["copy_gbps"]
        lines.append(f"- Copy speed in this run: {number(copy['median'])} GB/s, reads and writes "
                     f"together ({number(copy['p10'])}-{number(copy['p90'])}).")
    lines += [f"- {note}" for note in result["notes"]]
    missed = [row for row in rows if row["met"] is False]
    lines += [f"- Short: {shortfall(row)}." for row in missed]
    lines += [f"- Left out: {text}." for text in result.get("left_out", [])]
    return "\n".join(lines)


def summary(results):
    """How many targets are met, by part."""
    lines = []
    for name, result in results.items():
        judged = [row for row in result["rows"] if row.get("met") is not None]
        if judged:
            met = sum(row["met"] for row in judged)
            lines.append(f"- {name}: {met} of {len(judged)} targets met")
    return "\n".join(lines)


def markdown(where, results):
    lines = ["# gpuvm benchmark\n"]
    lines += [f"- {key}: {value}" for key, value in where.items()]
    lines.append("\nTimes in microseconds, median (p10-p90) of n interleaved samples; `x peer` is the "
                 "peer's time divided by ours, of device time where both have it, else of wall time; "
                 "an error is the largest difference from a peer's answer relative to its largest "
                 "element. Inputs and outputs stay on the device.\n")
    lines.append(summary(results))
    lines += [part(result) for result in results.values()]
    return "\n".join(lines) + "\n"
