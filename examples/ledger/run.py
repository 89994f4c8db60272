"""A service that keeps a ledger on the device, and is killed again and again.

The service is a process of its own. It posts the batches of a journal, one execution each, and
saves what the machine remembers after each of them. However often it is killed, at whatever
instruction, the next one restores the last state and goes on with the batch after it: in the
end every batch has been posted once.
"""

import argparse
import ctypes
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import programs  # noqa: E402

ACCOUNTS, TRANSFERS = 4096, 1000


class Machine:
    """The functions of gpuvm.h that a service needs; a failure is an exception."""

    def __init__(self, plan):
        library = pathlib.Path(shutil.which("gpuvm-run")).resolve().parent.parent
        self.library = ctypes.CDLL(str(library / "lib" / "libgpuvm.so"))
        self.library.vm_last_error.restype = ctypes.c_char_p
        self.vm = ctypes.c_void_p()
        self.call("vm_boot", None, ctypes.byref(self.vm), handle=False)
        self.call("vm_program_file", str(plan).encode())

    def call(self, name, *arguments, handle=True):
        first = [self.vm] if handle else []
        if getattr(self.library, name)(*first, *arguments):
            raise programs.Failed(self.library.vm_last_error(self.vm).decode())

    def bind(self, name, array):
        self.call("vm_bind_input", name.encode(), array.ctypes.data_as(ctypes.c_void_p),
                  ctypes.c_size_t(array.nbytes))

    def execute(self, program):
        self.call("vm_execute", program.encode())

    def output(self, name, array):
        self.call("vm_read_output", name.encode(), array.ctypes.data_as(ctypes.c_void_p),
                  ctypes.c_size_t(array.nbytes))
        return array

    def symbol(self, name, array):
        self.call("vm_read_symbol", name.encode(), array.ctypes.data_as(ctypes.c_void_p),
                  ctypes.c_size_t(array.nbytes))
        return array

    def save(self, path):
        self.call("vm_save", str(path).encode())

    def restore(self, path):
        self.call("vm_restore", str(path).encode())


def restored(work):
    """The machine as the last service has left it."""
    machine = Machine(work / "ledger.gvplan")
    if (work / "state").exists():
        machine.restore(work / "state")
    else:
        machine.bind("open.money", np.load(work / "money.npy"))
        machine.execute("open")
        machine.save(work / "state")
    return machine, int(machine.symbol("batches", np.zeros((), "i8")))


def serve(work):
    """Posts what is left of the journal."""
    accounts, changes = np.load(work / "accounts.npy"), np.load(work / "changes.npy")
    machine, done = restored(work)
    for batch in range(done, len(accounts)):
        machine.bind("post.account", accounts[batch])
        machine.bind("post.change", changes[batch])
        machine.execute("post")
        machine.save(work / "state")


def make_journal(work, batches, seed):
    generator = np.random.default_rng(seed)
    money = generator.integers(0, 10**12, ACCOUNTS)
    ends = generator.integers(0, ACCOUNTS, (batches, 2, TRANSFERS)).astype("i4")
    amounts = generator.integers(1, 10**9, (batches, TRANSFERS))
    accounts = ends.reshape(batches, -1)
    changes = np.concatenate([-amounts, amounts], axis=1)
    for name, array in (("money", money), ("accounts", accounts), ("changes", changes)):
        np.save(work / f"{name}.npy", array)
    (work / "state").unlink(missing_ok=True)
    for account, change in zip(accounts, changes):
        np.add.at(money, account, change)
    return money


def kill_again_and_again(work, kills, seed):
    """Starts the service until it ends by itself; how often it was killed."""
    chance = random.Random(seed)
    command = [sys.executable, "-B", __file__, "--serve", "--work", str(work)]
    killed = 0
    while True:
        service = subprocess.Popen(command)
        if killed < kills:
            # Somewhere between the start of Python and the end of the journal.
            time.sleep(chance.uniform(0.1, 0.6))
            if service.poll() is None:
                service.send_signal(signal.SIGKILL)
                killed += 1
        status = service.wait()
        if status == 0:
            return killed
        if status != -signal.SIGKILL:
            raise programs.Failed(f"The service ended with status {status}.")


def run(options):
    work = options.work
    os.makedirs(work, exist_ok=True)
    programs.tool("gpuvm-compile", HERE / "ledger.mlir", "-o", work / "ledger.gvplan")
    wanted = make_journal(work, options.batches, options.seed)
    killed = kill_again_and_again(work, options.kills, options.seed)
    print(f"killed {killed} times")
    machine, posted = restored(work)
    print(f"posted {posted} batches of {TRANSFERS} transfers")
    programs.check(posted == options.batches, f"{posted} batches were posted")
    asked = np.random.default_rng(options.seed + 1).integers(0, ACCOUNTS, 64).astype("i4")
    machine.bind("balance.accounts", asked)
    for program in ("balance", "richest", "total"):
        machine.execute(program)
    money = machine.output("balance.money", np.zeros(64, "i8"))
    programs.check((money == wanted[asked]).all(), "a balance differs from NumPy's")
    most = machine.output("richest.money", np.zeros(10, "i8"))
    who = machine.output("richest.accounts", np.zeros(10, "i4"))
    programs.check((most == np.sort(wanted)[::-1][:10]).all() and (wanted[who] == most).all(),
                   "the richest are not NumPy's")
    total = machine.output("total.money", np.zeros((), "i8"))
    programs.check(total == wanted.sum(), "money was lost or made")
    print(f"total {total}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--batches", type=int, default=6000)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    arguments = parse()
    if arguments.serve:
        serve(arguments.work)
    else:
        programs.finish(lambda: run(arguments))
