import torch


def rms(x):
    return (x.square().mean(-1, keepdim=True) + 1e-5).sqrt()


def cross_entropy(inputs, targets):
    return (torch.logsumexp(inputs, -1) - inputs.gather(-1, targets[..., None])[..., 0]).mean()
