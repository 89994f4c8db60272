"""The kinds of programs of the differential test (differential.py says what they are)."""

import programs_chain
import programs_combine
import programs_control
import programs_draws
import programs_families
import programs_fft
import programs_functions
import programs_gather
import programs_groups
import programs_halo
import programs_inner
import programs_many
import programs_random
import programs_ranks
import programs_reduce
import programs_scan
import programs_sort
import programs_state
import programs_repeat
import programs_update
import programs_when


def from_seeds(make):
    return lambda seeds: (make(seed) for seed in seeds)


KINDS = {"sweep": programs_reduce.sweep, "long": programs_reduce.long, "rows": programs_reduce.rows,
         "columns": programs_reduce.columns, "whole": programs_reduce.whole_columns,
         "combine": programs_combine.combine, "functions": programs_functions.functions,
         "random": from_seeds(programs_random.random_program), "state": from_seeds(programs_state.state_program),
         "exact": from_seeds(programs_random.exact_program), "chains": programs_chain.chains,
         "families": programs_families.families,
         "gather": programs_gather.gathers, "many": programs_many.many, "scan": programs_scan.scans, "fft": programs_fft.ffts,
         "halo": programs_halo.halos, "inner": programs_inner.inner, "control": programs_control.control, "draws": programs_draws.draws,
         "sort": programs_sort.sorts, "groups": programs_groups.groups,
         "when": from_seeds(programs_when.when_program),
         "repeat": from_seeds(programs_repeat.repeat_program),
         "ranks": from_seeds(programs_ranks.ranks_program),
         "update": from_seeds(programs_update.update_program)}
