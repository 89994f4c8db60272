# shellcheck shell=bash
# What the scripts in tools/ share. Sourced, not run.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# A line for the person who waits; data goes to standard output.
say() { printf '%s\n' "$*" >&2; }

# The end, with a sentence and the exit code for a wrong call (2) or another one.
die() {
  say "${0##*/}: $1"
  exit "${2:-2}"
}

# Precompiled headers are safe to cache by content.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

have() { command -v "$1" >/dev/null 2>&1; }

# Cores to build with: all of them, but at least 1.5 GiB of memory for each
# (what a file that includes much of MLIR takes).
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1572864) }' /proc/meminfo)
  if ((memory < cores)); then cores=$((memory > 0 ? memory : 1)); fi
  echo "$cores"
}

# The C++ files of ours, relative to the root: all, or those that differ from
# a commit (new files included).
sources() {
  git -C "$root" ls-files --cached --others --exclude-standard -- '*.h' '*.hpp' '*.cpp' |
    while read -r file; do [[ -f $root/$file ]] && echo "$file"; done
}
changed_sources() {
  local base=$1
  {
    git -C "$root" diff --name-only "$base" -- '*.h' '*.hpp' '*.cpp'
    git -C "$root" ls-files --others --exclude-standard -- '*.h' '*.hpp' '*.cpp'
  } | sort -u | while read -r file; do [[ -f $root/$file ]] && echo "$file"; done
}

# The commit that "changed" is measured against: where this branch left the
# upstream one, else the commit before, else nothing (every file counts).
change_base() {
  local head base
  head=$(git -C "$root" rev-parse --verify --quiet HEAD) || head=none
  base=$(git -C "$root" merge-base HEAD '@{upstream}' 2>/dev/null) || base=$head
  if [[ $base != "$head" ]]; then
    echo "$base"
  else
    git -C "$root" rev-parse --verify --quiet 'HEAD~1' ||
      git -C "$root" hash-object -t tree /dev/null
  fi
}
