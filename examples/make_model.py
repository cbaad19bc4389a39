#!/usr/bin/env python3
"""Makes a random Kimi K3 model directory of any shape: config.json, index and safetensors shards as released.

Needs only the standard library. Values depend on the seed and the tensor's name alone, so two models of one seed
share the tensors that have the same name and shape. Activations of the model stay near 1.

  examples/make_model.py /tmp/m                                  # 9 layers, hidden 256, 17 MB
  examples/make_model.py /tmp/m --hidden 100 --heads 3 --head-dim 20 --layers 5 --full-attn 2,5 --block 2 --shards 3
"""
import argparse
import json
import math
import os
import random
import statistics
import struct
import sys

DTYPE_BYTES = {"BF16": 2, "F32": 4, "U8": 1}
MX_BLOCK = 32
# Root mean square of the sixteen E2M1 values.
E2M1_RMS = math.sqrt(sum(x * x for x in (0, 0.5, 1, 1.5, 2, 3, 4, 6)) / 8)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", help="folder to write; made if missing")
    integers = [
        ("--hidden", 256, "width of the residual stream"), ("--layers", 9, "number of layers"),
        ("--block", 3, "layers of one attention-residual block"), ("--heads", 2, "heads of both attentions"),
        ("--kda-heads", 0, "KDA heads where they differ from --heads"),
        ("--head-dim", 128, "KDA head size (keys and values)"), ("--q-lora", 96, "MLA query rank"),
        ("--kv-lora", 512, "MLA latent width"), ("--nope", 128, "MLA key part from the latent"),
        ("--rope", 64, "MLA key part shared by the heads"), ("--v", 128, "MLA value size"),
        ("--experts", 16, "routed experts"), ("--top", 4, "experts of a token"), ("--shared", 2, "shared experts"),
        ("--latent", 128, "width the routed experts work in, a multiple of 32"),
        ("--moe-int", 128, "width inside an expert, a multiple of 32"), ("--dense", 512, "width of the dense FFN"),
        ("--dense-layers", 1, "leading layers with a dense FFN"), ("--vocab", 512, "vocabulary; 256 means bytes"),
        ("--max-positions", 4096, "longest sequence"), ("--seed", 0, "seed of the random values"),
        ("--shards", 2, "safetensors files"),
    ]
    for flag, default, text in integers:
        parser.add_argument(flag, type=int, default=default, metavar="N", help=f"{text} (default {default})")
    parser.add_argument("--full-attn", default="", metavar="L,L,...",
                        help="MLA layers, counted from 1 (default: every fourth and the last)")
    options = parser.parse_args()
    for flag, _, _ in integers:
        least = 0 if flag in ("--seed", "--kda-heads", "--dense-layers") else 1
        if getattr(options, flag[2:].replace("-", "_")) < least:
            parser.error(f"{flag} has to be at least {least}")
    for flag, value in (("--latent", options.latent), ("--moe-int", options.moe_int)):
        if value % MX_BLOCK:
            parser.error(f"{flag} is {value}, expected a multiple of {MX_BLOCK} (the MX block)")
    if options.top > options.experts:
        parser.error(f"--top is {options.top}, expected at most --experts {options.experts}")
    if options.full_attn:
        options.full = sorted({int(layer) for layer in options.full_attn.split(",")})
    else:
        options.full = [l for l in range(1, options.layers + 1) if l % 4 == 0 or l == options.layers]
    if options.full and not 1 <= options.full[0] <= options.full[-1] <= options.layers:
        parser.error(f"--full-attn names a layer outside 1..{options.layers}")
    options.kda_heads = options.kda_heads or options.heads
    return options


def make_config(o):
    last = o.vocab - 1
    ids = {"bos_token_id": max(last - 3, 0), "eos_token_id": max(last - 1, 0), "pad_token_id": last}
    weights = {"num_bits": 4, "type": "float", "strategy": "group", "group_size": MX_BLOCK, "symmetric": True,
               "dynamic": False, "scale_dtype": "torch.uint8"}
    text = {
        "model_type": "kimi_linear", "architectures": ["KimiLinearForCausalLM"], "dtype": "bfloat16", **ids,
        "hidden_size": o.hidden, "num_hidden_layers": o.layers, "vocab_size": o.vocab,
        "max_position_embeddings": o.max_positions, "rms_norm_eps": 1e-5, "tie_word_embeddings": False,
        "num_attention_heads": o.heads, "num_key_value_heads": o.heads, "q_lora_rank": o.q_lora,
        "kv_lora_rank": o.kv_lora, "qk_nope_head_dim": o.nope, "qk_rope_head_dim": o.rope, "v_head_dim": o.v,
        "mla_use_nope": True, "mla_use_output_gate": True, "hidden_act": "situ", "activation_situ_beta": 4.0,
        "activation_situ_linear_beta": 25.0, "intermediate_size": o.dense, "first_k_dense_replace": o.dense_layers,
        "moe_layer_freq": 1, "num_experts": o.experts, "num_experts_per_token": o.top,
        "num_shared_experts": o.shared, "moe_intermediate_size": o.moe_int, "routed_expert_hidden_size": o.latent,
        "latent_moe_use_norm": True, "moe_router_activation_func": "sigmoid", "moe_renormalize": True,
        "routed_scaling_factor": 1.0, "topk_method": "noaux_tc", "use_grouped_topk": True, "num_expert_group": 1,
        "topk_group": 1, "attn_res_block_size": o.block, "num_nextn_predict_layers": 0,
        "linear_attn_config": {
            "num_heads": o.kda_heads, "head_dim": o.head_dim, "short_conv_kernel_size": 4, "use_full_rank_gate": True,
            "gate_lower_bound": -5.0, "full_attn_layers": o.full,
            "kda_layers": [l for l in range(1, o.layers + 1) if l not in o.full],
        },
        "quantization_config": {
            "quant_method": "compressed-tensors", "format": "mxfp4-pack-quantized",
            "quantization_status": "compressed", "kv_cache_scheme": None,
            "config_groups": {"group_0": {"targets": ["Linear"], "input_activations": None,
                                          "output_activations": None, "weights": weights}},
        },
    }
    return {"architectures": ["KimiK3ForConditionalGeneration"], "model_type": "kimi_k3", "dtype": "bfloat16", **ids,
            "tie_word_embeddings": False, "text_config": text}


def tensors(o):
    """(layer or None, name, dtype, shape, rule) of every tensor; a rule is ("normal", mean, std), ("uniform", low,
    high), ("padded", used, low, high), ("packed",) or ("scale", std)."""
    root = "language_model."
    near = lambda fan_in: ("normal", 0.0, fan_in ** -0.5)
    gain = ("normal", 1.0, 0.1)
    kda, full = o.kda_heads * o.head_dim, o.heads * o.v

    def matrix(layer, name, rows, columns, rule=None):
        return layer, root + name + ".weight", "BF16", [rows, columns], rule or near(columns)

    def vector(layer, name, size):
        return layer, root + name + ".weight", "BF16", [size], gain

    def glu(layer, name, width):
        yield matrix(layer, name + "gate_proj", width, o.hidden)
        yield matrix(layer, name + "up_proj", width, o.hidden)
        yield matrix(layer, name + "down_proj", o.hidden, width)

    yield matrix(None, "model.embed_tokens", o.vocab, o.hidden, ("normal", 0.0, 1.0))
    yield matrix(None, "lm_head", o.vocab, o.hidden)
    yield vector(None, "model.norm", o.hidden)
    yield vector(None, "model.output_attn_res_norm", o.hidden)
    yield matrix(None, "model.output_attn_res_proj", 1, o.hidden)
    for l in range(o.layers):
        p = f"model.layers.{l}."
        for name in ("input_layernorm", "post_attention_layernorm", "self_attention_res_norm", "mlp_res_norm"):
            yield vector(l, p + name, o.hidden)
        for name in ("self_attention_res_proj", "mlp_res_proj"):
            yield matrix(l, p + name, 1, o.hidden)
        a = p + "self_attn."
        if l + 1 in o.full:
            yield matrix(l, a + "q_a_proj", o.q_lora, o.hidden)
            yield vector(l, a + "q_a_layernorm", o.q_lora)
            yield matrix(l, a + "q_b_proj", o.heads * (o.nope + o.rope), o.q_lora)
            yield matrix(l, a + "kv_a_proj_with_mqa", o.kv_lora + o.rope, o.hidden)
            yield vector(l, a + "kv_a_layernorm", o.kv_lora)
            yield matrix(l, a + "kv_b_proj", o.heads * (o.nope + o.v), o.kv_lora)
            yield matrix(l, a + "g_proj", full, o.hidden)
            yield matrix(l, a + "o_proj", o.hidden, full)
        else:
            for role in "qkvg":
                yield matrix(l, f"{a}{role}_proj", kda, o.hidden)
            for role in "qkv":
                yield l, f"{root}{a}{role}_conv1d.weight", "F32", [kda, 1, 4], ("normal", 0.0, 0.5)
            yield matrix(l, a + "f_a_proj", o.head_dim, o.hidden)
            yield matrix(l, a + "f_b_proj", kda, o.head_dim)
            yield matrix(l, a + "b_proj", o.kda_heads, o.hidden)
            padded = -(-o.kda_heads // 128) * 128  # as released: zeros up to a multiple of 128
            yield l, root + a + "A_log", "F32", [padded], ("padded", o.kda_heads, -1.0, 0.5)
            yield l, root + a + "dt_bias", "F32", [kda], ("uniform", -4.0, -1.0)
            yield l, root + a + "o_norm.weight", "F32", [o.head_dim], gain
            yield matrix(l, a + "o_proj", o.hidden, kda)
        if l < o.dense_layers:
            yield from glu(l, p + "mlp.", o.dense)
            continue
        m = p + "block_sparse_moe."
        yield matrix(l, m + "gate", o.experts, o.hidden)
        yield l, root + m + "gate.e_score_correction_bias", "F32", [o.experts], ("normal", 0.0, 0.01)
        yield matrix(l, m + "routed_expert_down_proj", o.latent, o.hidden)
        yield vector(l, m + "routed_expert_norm", o.latent)
        yield matrix(l, m + "routed_expert_up_proj", o.hidden, o.latent)
        yield from glu(l, m + "shared_experts.", o.shared * o.moe_int)
        for e in range(o.experts):
            for role, rows, columns in (("w1", o.moe_int, o.latent), ("w2", o.latent, o.moe_int),
                                        ("w3", o.moe_int, o.latent)):
                name = f"{root}{m}experts.{e}.{role}"
                yield l, name + ".weight_packed", "U8", [rows, columns // 2], ("packed",)
                yield l, name + ".weight_scale", "U8", [rows, columns // MX_BLOCK], ("scale", columns ** -0.5)


def bf16_round(value):
    """The upper two bytes of the nearest bfloat16, little-endian."""
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    return struct.pack("<H", (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16)


def from_table(source, count, values, encode):
    """`count` draws from 256 values: one random byte a draw, each byte of the encodings by one table look-up."""
    codes = [encode(value) for value in values]
    draws = source.randbytes(count)
    width = len(codes[0])
    out = bytearray(count * width)
    for byte in range(width):
        out[byte::width] = draws.translate(bytes(code[byte] for code in codes))
    return bytes(out)


NORMAL = [statistics.NormalDist().inv_cdf((i + 0.5) / 256) for i in range(256)]


def make_bytes(seed, name, dtype, shape, rule):
    source = random.Random(f"{seed}:{name}")
    count = math.prod(shape)
    encode = bf16_round if dtype == "BF16" else lambda value: struct.pack("<f", value)
    if rule[0] == "packed":
        return source.randbytes(count)
    if rule[0] == "scale":  # around the power of two that gives the wanted deviation
        middle = 127 + round(math.log2(rule[1] / E2M1_RMS))
        return source.randbytes(count).translate(bytes(middle + (-1, 0, 0, 1)[i % 4] for i in range(256)))
    if rule[0] == "normal":
        return from_table(source, count, [rule[1] + rule[2] * x for x in NORMAL], encode)
    low, high = rule[-2:]
    used = rule[1] if rule[0] == "padded" else count
    values = [low + (high - low) * (i + 0.5) / 256 for i in range(256)]
    return from_table(source, used, values, encode) + bytes((count - used) * DTYPE_BYTES[dtype])


def write_shard(path, seed, entries):
    header, offset = {}, 0
    for name, dtype, shape, _ in entries:
        size = math.prod(shape) * DTYPE_BYTES[dtype]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for entry in entries:
            out.write(make_bytes(seed, *entry))
    return offset


def main():
    o = parse_arguments()
    os.makedirs(o.directory, exist_ok=True)
    shards = [[] for _ in range(o.shards)]
    for layer, *entry in tensors(o):
        shards[-1 if layer is None else layer * o.shards // o.layers].append(entry)
    shards = [shard for shard in shards if shard]
    total, weight_map = 0, {}
    for number, entries in enumerate(shards, 1):
        name = f"model-{number:05}-of-{len(shards):06}.safetensors"
        total += write_shard(os.path.join(o.directory, name), o.seed, entries)
        weight_map.update({entry[0]: name for entry in entries})
    with open(os.path.join(o.directory, "model.safetensors.index.json"), "w") as out:
        json.dump({"metadata": {"total_size": total}, "weight_map": weight_map}, out, indent=0)
    with open(os.path.join(o.directory, "config.json"), "w") as out:
        json.dump(make_config(o), out, indent=1)
    print(f"{o.directory}: {len(weight_map)} tensors, {total} bytes, {len(shards)} shards", file=sys.stderr)


if __name__ == "__main__":
    main()
