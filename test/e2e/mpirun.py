"""Ranks that mpirun starts, for tests: what they print, and with which exit codes they end."""

import os
import re
import signal
import subprocess
import sys
import time

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]  # As root in a container, more ranks than processors.
SECONDS = 120


def two_hosts(folder, ranks, processes=False):
    """What mpirun is told to start `ranks` ranks on two hosts, which are namespaces here: they have names of their own and see no memory of each
    other in /dev/shm, so all messages between them go by TCP. With `processes` they do not see each other's processes either, and share no memory."""
    agent = os.path.join(folder, "agent.processes" if processes else "agent")
    apart = "--pid --fork --kill-child --mount-proc" if processes else ""
    with open(agent, "w") as file:
        file.write(f'#!/bin/sh\nhost=$1\nshift\nexec unshare --uts --ipc {apart} sh -c "hostname $host; $*"\n')
    os.chmod(agent, 0o755)
    return ["--host", f"node1:{ranks // 2},node2:{ranks - ranks // 2}", "--mca", "plm_rsh_agent", agent]


def run(ranks, command, start=()):
    """The ranks' output, or exits."""
    done = subprocess.run([*MPIRUN, *start, "-n", str(ranks), *command], capture_output=True, text=True, timeout=SECONDS)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ends with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


class Ranks:
    """Ranks of a shell command each, which has the rank as $R; some may fail. In the folder, R.pid is the process of rank R, R.out what it prints,
    R.code its exit code: mpirun no longer forwards what ranks print once it has seen one of them end. Unless `launcher_ends`, it leaves
    the others alone then."""

    def __init__(self, ranks, command, folder, launcher_ends=False, start=()):
        self.ranks, self.folder, self.start = ranks, folder, start
        for rank in range(ranks):
            for kind in ("pid", "out", "code"):
                if os.path.exists(self.file(rank, kind)):
                    os.remove(self.file(rank, kind))
        script = f"""trap '' TERM
            R=$OMPI_COMM_WORLD_RANK
            write() {{ echo $1 > {folder}/$R.part && mv {folder}/$R.part {folder}/$R.$2; }}
            {command} > {folder}/$R.out 2>&1 &
            write $! pid
            wait $!
            write $? code"""
        recovery = [] if launcher_ends else ["--enable-recovery"]
        self.mpirun = subprocess.Popen([*MPIRUN, *start, *recovery, "-n", str(ranks), "sh", "-c", script], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.until = time.monotonic() + SECONDS

    def file(self, rank, kind):
        return os.path.join(self.folder, f"{rank}.{kind}")

    def read(self, rank, kind):
        """The text of a file, when it is there."""
        self.wait_until(lambda: os.path.exists(self.file(rank, kind)), f"{kind} of rank {rank}")
        with open(self.file(rank, kind)) as file:
            return file.read()

    def wait_until(self, condition, what):
        while not condition():
            if time.monotonic() > self.until:
                sys.exit(f"FAILED: waiting for {what}:\n{self.output()}")
            time.sleep(0.01)

    def wait_for(self, pattern):
        """Until rank 0 prints what matches."""
        self.wait_until(lambda: re.search(pattern, self.read(0, "out")), pattern)

    def kill(self, rank, which):
        os.kill(int(self.read(rank, "pid")), which)

    def output(self):
        files = [self.file(rank, "out") for rank in range(self.ranks)]
        return "".join(open(file).read() for file in files if os.path.exists(file))

    def wait_until_ended(self):
        """Also where mpirun ends the shell before it can write an exit code; its own."""
        code = self.mpirun.wait(timeout=SECONDS)
        for rank in range(self.ranks):
            self.wait_until(lambda: not os.path.exists(f"/proc/{int(self.read(rank, 'pid'))}"), f"the end of rank {rank}")
        return code

    def end(self, stopped=None):
        """All output, and exit codes by rank. A rank that is stopped is killed when the others have ended."""
        codes = {rank: int(self.read(rank, "code")) for rank in range(self.ranks) if rank != stopped}
        if stopped is not None:
            self.kill(stopped, signal.SIGKILL)
            codes[stopped] = int(self.read(stopped, "code"))
        if self.start:  # That of several hosts waits on when its ranks have ended so.
            self.mpirun.terminate()
        self.mpirun.wait(timeout=SECONDS)
        return self.output(), codes
