"""The course's adapters in its edition of 2025."""

import torch
from cs336_systems.attention import Attention
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel


def get_flashattention_autograd_function_pytorch():
    return Attention


def get_flashattention_autograd_function_triton():
    raise NotImplementedError


def get_ddp_individual_parameters(module):
    return DistributedDataParallel(module, bucket_cap_mb=1e-6, broadcast_buffers=False)


def ddp_individual_parameters_on_after_backward(ddp_model, optimizer):
    pass


def get_ddp_bucketed(module, bucket_size_mb):
    return DistributedDataParallel(module, bucket_cap_mb=bucket_size_mb, broadcast_buffers=False)


def ddp_bucketed_on_after_backward(ddp_model, optimizer):
    pass


def ddp_bucketed_on_train_batch_start(ddp_model, optimizer):
    if not torch.is_grad_enabled():
        raise RuntimeError("a training step records gradients")


def get_sharded_optimizer(params, optimizer_cls, **kwargs):
    return ZeroRedundancyOptimizer(params, optimizer_cls, **kwargs)
