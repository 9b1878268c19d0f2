"""The ranks of a training step of the user's. torch.distributed joins them before the user's file is imported."""

import datetime
import faulthandler
import os
import signal
import socket

import torch
import torch.distributed as distributed
from labreport_source import Mismatch, describe_error

HOST = "127.0.0.1"  # all ranks are processes of one machine
TRIAL_SECONDS = 60
stores = []  # the store by which the ranks of this process were joined
WORDS_OF_LOST_RANKS = ["gloo", "connection closed by peer", "nccl error", "timed out waiting", "timeout waiting for key"]


def prepare_ranks(cell, rendezvous=None):
    """Joins the ranks of the cell. Without a rendezvous this process is the only rank, as when a step is tried. The code of
    a cell without ranks may join none."""
    if "ranks" not in cell:
        distributed.init_process_group = refuse_to_join
    elif rendezvous:
        store = distributed.PrefixStore("user", distributed.FileStore(rendezvous["store"], cell["ranks"]))
        join(cell, store, rendezvous["rank"], cell["ranks"], rendezvous["timeout_seconds"])
    else:
        # The plan of a GPU that is elsewhere is made without one.
        backend = cell["collectives"] if torch.cuda.is_available() else "gloo"
        join(cell | {"collectives": backend}, distributed.HashStore(), 0, 1, TRIAL_SECONDS)


def refuse_to_join(*_, **__):
    raise Mismatch("init_process_group is called, but this is one process; --ranks 2 starts two")


def join(cell, store, rank, count, timeout_seconds):
    """Sets the variables that torchrun sets, and torch.distributed's process group. Later calls of init_process_group only
    check what they ask for."""
    faulthandler.register(signal.SIGTERM, all_threads=False, chain=True)  # tells where a rank stands that is stopped
    faulthandler.enable()  # tells where a rank stands that Gloo aborts on a thread of its own
    store.set_timeout(datetime.timedelta(seconds=timeout_seconds))
    stores.append(store)
    if rank == 0:
        store.set("port", str(free_port()))
    os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(count), "LOCAL_WORLD_SIZE": str(count),
                   "MASTER_ADDR": HOST, "MASTER_PORT": store.get("port").decode()}
    if cell["device_kind"] == "cuda" and torch.cuda.device_count() > rank:  # the engine tells why a GPU is missing
        torch.cuda.set_device(rank)
    backend = cell["collectives"]
    distributed.init_process_group(backend, store=store, rank=rank, world_size=count,
                                   timeout=datetime.timedelta(seconds=timeout_seconds))

    def check_process_group(asked=None, init_method=None, timeout=None, world_size=-1, asked_rank=-1, *_, **named):
        asked, asked_rank = named.get("backend", asked), named.get("rank", asked_rank)
        if asked and backend not in str(asked).lower():
            raise Mismatch(f"init_process_group asks for {asked}; these ranks are joined over {backend}, which a call without "
                           "a backend gets")
        if world_size not in [-1, count]:
            raise Mismatch(f"init_process_group asks for {world_size} ranks; there are {count}")
        if asked_rank not in [-1, rank]:
            raise Mismatch(f"init_process_group asks for rank {asked_rank}; this is rank {rank}")

    distributed.init_process_group = check_process_group


def free_port():
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return listener.getsockname()[1]


def is_of_collective(error):
    """Returns true for an error of torch.distributed's libraries, which may only tell that another rank left."""
    if isinstance(error, (distributed.DistBackendError, distributed.DistNetworkError, distributed.DistStoreError)):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error).lower() for words in WORDS_OF_LOST_RANKS)


def describe_collective_error(error):
    """Describes what another rank did to a collective, and other errors as they are. A text with "timed out" counts as a
    timeout: see group_error."""
    text = str(error).lower()
    if "timed out" in text or "timeout" in text:
        return "it timed out waiting for another rank"
    if "closed by peer" in text or "reset by peer" in text:
        return "another rank left it"
    return describe_error(error)


def is_sharded(tensor):
    return hasattr(tensor, "to_local")


def local(tensor):
    """Returns this rank's shard of a sharded tensor, and others as they are."""
    return tensor.to_local() if is_sharded(tensor) else tensor
