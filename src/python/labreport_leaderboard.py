"""The training steps of problem `leaderboard`: one network, whose step becomes faster or smaller rung by rung.

Weights, gradients and AdamW's state are in BF16, and each rank trains on sequences of its own. A rung has the changes of all
rungs before it, and all rungs begin with the same weights.
"""

import contextlib
import functools
import math

import labreport_transformer
import torch
import torch.distributed as distributed
from labreport_ranks import is_sharded, local
from labreport_source import NotOffered, check_offered
from labreport_step import StepSource
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

# The names of rungs, in order; results/leaderboard_rung.h describes them.
RUNGS = ["replicated", "sharded", "checkpointed", "fused_head", "cudnn", "compiled", "saved_attention", "saved_products"]
PREFIX = "leaderboard-"
DTYPE = torch.bfloat16
TOKENS_OF_CHUNK = 4096  # whose logits exist at a time with a fused head
SHARE_OF_MEMORY = 0.96  # The rest is for what fragments, and for what libraries allocate later.
HYPER_PARAMETERS = {"lr": 1e-4, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.01}
ATTENTION_OPERATORS = {torch.ops.aten._scaled_dot_product_cudnn_attention.default,
                       torch.ops.aten._scaled_dot_product_flash_attention.default,
                       torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default}
PRODUCT_OPERATORS = {torch.ops.aten.mm.default, torch.ops.aten.addmm.default}


def rung_of(implementation):
    """Returns the rung of "leaderboard-cudnn"; None for other implementations."""
    rung = implementation.removeprefix(PREFIX)
    return rung if implementation.startswith(PREFIX) and rung in RUNGS else None


def loss_and_gradient(logits, targets, count):
    """Returns the sum of the tokens' cross-entropies / `count`, and its gradient by the logits in their dtype."""
    values = logits.float()
    log_sums = torch.logsumexp(values, -1, keepdim=True)
    loss = (log_sums - values.gather(-1, targets[:, None])).sum() / count
    is_target = torch.arange(values.shape[-1], device=values.device) == targets[:, None]
    probabilities = torch.exp(values - log_sums)
    return loss, (torch.where(is_target, probabilities - 1, probabilities) / count).to(logits.dtype)


def add_product(total, left, right):
    """Adds the product to `total`, which is in FP32; a GPU does so within the GEMM, before it rounds."""
    if total.is_cuda and hasattr(torch.ops.aten.addmm, "dtype_out"):
        torch.addmm(total, left, right, out_dtype=total.dtype, out=total)
    else:
        total += left @ right


class HeadWithLoss(torch.autograd.Function):
    """The output projection and the cross-entropy, a chunk of tokens at a time. Forward also computes both gradients, so no
    logits are kept."""

    @staticmethod
    def forward(context, hidden, weight, targets, compute):
        by_hidden = torch.empty_like(hidden)
        by_weight = torch.zeros_like(weight, dtype=torch.float32)
        loss = torch.zeros((), device=hidden.device)
        for begin in range(0, len(hidden), TOKENS_OF_CHUNK):
            chunk = slice(begin, begin + TOKENS_OF_CHUNK)
            part, by_logits = compute(hidden[chunk] @ weight.t(), targets[chunk], len(hidden))
            loss += part
            torch.mm(by_logits, weight, out=by_hidden[chunk])
            add_product(by_weight, by_logits.t(), hidden[chunk])
        context.save_for_backward(by_hidden, by_weight.to(weight.dtype))
        return loss

    @staticmethod
    def backward(context, upstream):
        by_hidden, by_weight = context.saved_tensors
        return by_hidden * upstream, by_weight * upstream, None, None


def keeping(operators):
    """Returns what makes a checkpoint keep the outputs of these operators."""
    return functools.partial(create_selective_checkpoint_contexts, functools.partial(policy_of, operators))


def policy_of(kept, _context, operator, *_, **__):
    return CheckpointPolicy.MUST_SAVE if operator in kept else CheckpointPolicy.PREFER_RECOMPUTE


class CheckpointedBlock(nn.Module):
    """A block of which backward computes again what it needs, except what it keeps. What it keeps is chosen by its `forward`:
    torch.compile compiles each of them once, for all blocks."""

    KEEPING_ATTENTION = staticmethod(keeping(ATTENTION_OPERATORS))
    KEEPING_BOTH = staticmethod(keeping(ATTENTION_OPERATORS | PRODUCT_OPERATORS))

    def __init__(self, block, keeps_attention):
        super().__init__()
        self.block = block
        if keeps_attention:
            self.forward = self.forward_keeping_attention

    def forward(self, x):
        return checkpoint(self.block, x, use_reentrant=False)

    def forward_keeping_attention(self, x):
        return checkpoint(self.block, x, use_reentrant=False, context_fn=self.KEEPING_ATTENTION)

    def forward_keeping_both(self, x):
        return checkpoint(self.block, x, use_reentrant=False, context_fn=self.KEEPING_BOTH)


class Network(labreport_transformer.Transformer):
    """labreport's network with its loss, so that FSDP has the head's weights gathered when the loss needs them."""

    compute_head = None  # the function of a chunk of logits with a fused head

    def forward(self, ids, targets):
        x = self.token_embeddings(ids)
        for layer in self.layers:
            x = layer(x)
        hidden, targets = self.ln_final(x).flatten(0, 1), targets.flatten()
        if self.compute_head:
            return HeadWithLoss.apply(hidden, self.lm_head.weight, targets, self.compute_head)
        return labreport_transformer.cross_entropy(self.lm_head(hidden).float(), targets)


def bytes_of_products(values, tokens):
    """Returns the bytes of a block's matrix products that backward needs: q, k, v and the output of attention's projections,
    and both inputs of the feed-forward network's gate."""
    return (4 * values["d_model"] + 2 * values["d_ff"]) * tokens * DTYPE.itemsize


def bytes_beside_peak(device):
    """Returns the bytes of the device's memory that are left beside the peak so far."""
    free, total = torch.cuda.mem_get_info(device)
    others = total - free - torch.cuda.memory_reserved(device)  # CUDA's context, NCCL's buffers and other processes
    return SHARE_OF_MEMORY * total - others - torch.cuda.max_memory_allocated(device)


def least_of_ranks(number, device):
    """Returns the least of the ranks' numbers, because ranks that compute less would wait for the others."""
    least = torch.tensor(number, device=device)
    distributed.all_reduce(least, op=distributed.ReduceOp.MIN)
    return int(least)


def allocate_moments(optimizer):
    """Lets AdamW allocate its state as it is before the first step; neither it nor the weights have seen a gradient then."""
    rates = [group["lr"] for group in optimizer.param_groups]
    for group in optimizer.param_groups:
        group["lr"] = 0.0
        for parameter in group["params"]:
            parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    for group, rate in zip(optimizer.param_groups, rates):
        group["lr"] = rate
    for state in optimizer.state.values():
        state["step"].zero_()
    optimizer.zero_grad(set_to_none=True)


def let_segments_grow():
    """Lets the allocator's segments grow in place, because fixed ones fragment when the memory is nearly full."""
    newer = getattr(torch._C, "_accelerator_setAllocatorSettings", None)  # The other warns in versions that have both.
    (newer or torch.cuda.memory._set_allocator_settings)("expandable_segments:True")


def fill_weights(network, device, rank, ranks):
    """Draws each weight whole, so that all rungs begin with the same ones, and keeps this rank's shard."""
    generator = torch.Generator(device).manual_seed(torch.initial_seed())
    for parameter in network.parameters():
        if parameter.dim() == 1:
            local(parameter.data).fill_(1)
            continue
        std = 1.0 if parameter is network.token_embeddings.weight else math.sqrt(2 / sum(parameter.shape))
        whole = torch.empty(parameter.shape, device=device, dtype=DTYPE).normal_(0, std, generator=generator).clamp_(-3 * std, 3 * std)
        local(parameter.data).copy_(whole.chunk(ranks)[rank] if is_sharded(parameter) else whole)


def make_network(reached, values, device):
    network = Network(values["d_model"], values["d_ff"], values["num_layers"], values["num_heads"], values["vocab_size"],
                      values["context_length"], device="meta", sdpa=True).to(DTYPE)
    if "checkpointed" in reached:
        for i, block in enumerate(network.layers):
            network.layers[i] = CheckpointedBlock(block, "saved_attention" in reached)
    if "fused_head" in reached:
        network.compute_head = loss_and_gradient
    if "compiled" in reached:
        check_offered(device)
        network.compute_head = torch.compile(loss_and_gradient)
        for module in [*network.layers, network.ln_final]:
            module.compile()
    if "sharded" in reached:
        for block in network.layers:
            fully_shard(block)
        fully_shard(network, reshard_after_forward=False)
    network.to_empty(device=device)
    rotary = labreport_transformer.RotaryEmbedding(values["context_length"], values["d_model"] // values["num_heads"], device=device)
    for module in network.modules():  # all blocks share one, whose tables hold no numbers yet
        if isinstance(module, labreport_transformer.RotaryEmbedding):
            module.cos, module.sin = rotary.cos, rotary.sin
    return network


class LeaderboardStep:
    """One training step: gradients cleared, forward, loss, backward, AdamW."""

    def __init__(self, rung, values, sequences, device):
        reached = RUNGS[: RUNGS.index(rung) + 1]
        rank, ranks = distributed.get_rank(), distributed.get_world_size()
        keeps_products = "saved_products" in reached
        if keeps_products and device.type == "cuda":
            let_segments_grow()
        self.model = make_network(reached, values, device)
        fill_weights(self.model, device, rank, ranks)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), fused=True, **HYPER_PARAMETERS)
        self.averages = "sharded" not in reached
        self.backend = None
        if device.type == "cuda":
            self.backend = SDPBackend.CUDNN_ATTENTION if "cudnn" in reached else SDPBackend.FLASH_ATTENTION
        if keeps_products:
            self.keep_products(values, sequences, device)

    def keep_products(self, values, sequences, device):
        """Lets as many blocks keep their products as the memory holds without delay; on a CPU all do. It runs passes, but
        trains nothing."""
        if device.type == "cpu":
            self.let_last_keep(len(self.model.layers))
            return
        allocate_moments(self.optimizer)
        tokens = sequences * values["context_length"]
        ids = torch.arange(tokens, device=device).view(sequences, -1) % values["vocab_size"]
        count = least_of_ranks(self.blocks_that_fit(ids, values, device), device)
        self.let_last_keep(count)
        while count > 0 and least_of_ranks(int(self.gives_no_memory_back(ids)), device) == 0:
            count = max(0, count - 2)
            self.let_last_keep(count)

    def let_last_keep(self, count):
        """The last blocks keep their products for the shortest time."""
        blocks = self.model.layers
        for block in blocks[len(blocks) - count:]:
            block.forward = block.forward_keeping_both
        for block in blocks[:len(blocks) - count]:
            block.forward = block.forward_keeping_attention

    def blocks_that_fit(self, ids, values, device):
        """Returns how many blocks can keep their products beside the peak of a forward and a backward pass without them."""
        torch.cuda.reset_peak_memory_stats(device)
        self.compute_gradients(ids, ids)
        left = bytes_beside_peak(device)
        self.forget_passes()
        return max(0, min(len(self.model.layers), int(left // bytes_of_products(values, ids.numel()))))

    def gives_no_memory_back(self, ids):
        """Returns whether the second of two passes finds its memory in the allocator's cache. Where it does not, the allocator
        waits for the GPU and gives memory back in every step, which costs more than computing products again."""
        for _ in range(2):
            retries = torch.cuda.memory_stats()["num_alloc_retries"]
            self.compute_gradients(ids, ids)
            self.optimizer.zero_grad(set_to_none=True)
        more = torch.cuda.memory_stats()["num_alloc_retries"] - retries
        self.forget_passes()
        return more == 0

    def forget_passes(self):
        self.optimizer.zero_grad(set_to_none=True)
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()

    def compute_gradients(self, ids, targets):
        with sdpa_kernel(self.backend) if self.backend else contextlib.nullcontext():
            loss = self.model(ids, targets)
            loss.backward()
        return loss

    def step(self, ids, targets):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.compute_gradients(ids, targets)
        if self.averages:
            for parameter in self.model.parameters():
                distributed.all_reduce(parameter.grad)
                parameter.grad /= distributed.get_world_size()
        self.optimizer.step()
        return loss


class LeaderboardSource(StepSource):
    """A rung as a step maker, measured as a user's."""

    def __init__(self, implementation):
        self.rung = rung_of(implementation)
        self.implementation, self.name, self.compiled = implementation, f"the step of rung {self.rung}", False
        self.spec, self.arguments, self.imports_compiled = {}, {}, False
        self.matmul_precision = torch.get_float32_matmul_precision()
        self.model = self.make

    def make(self, vocab_size, context_length, d_model, num_layers, num_heads, d_ff, batch_size, device):
        if "cudnn" == self.rung and device.type == "cpu":
            raise NotOffered("cuDNN's attention needs a GPU")
        values = {"vocab_size": vocab_size, "context_length": context_length, "d_model": d_model, "num_layers": num_layers,
                  "num_heads": num_heads, "d_ff": d_ff}
        return LeaderboardStep(self.rung, values, batch_size, device)
