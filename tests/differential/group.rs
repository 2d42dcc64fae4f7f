//! Random programs of whole work-groups: phases of lane-local code, and exchanges between lanes after each.
//!
//! The host keeps the state of every lane and runs each phase for all lanes before the exchange that follows.

use fastrand::Rng;

use crate::expr::{Maker, Scope};
use crate::program::{Check, Program, WORDS};
use crate::stmt::Body;
use crate::tree::{Piece, fill};
use crate::types::Ty;

/// The state of a lane, in the order of the output words.
const STATE: &[(&str, Ty)] = &[
    ("l.a", Ty::U32),
    ("l.b", Ty::U32),
    ("l.c", Ty::U32),
    ("l.d", Ty::I32),
    ("l.e", Ty::U64),
    ("l.f", Ty::F32),
    ("l.g", Ty::U16),
    ("l.h", Ty::F64),
];

/// What a phase's exchange is, on either side; `V`, `M` and `S` stand for the lane's value, whether it takes part, and
/// its second value.
struct Exchange {
    declared: String,
    device: String,
    host: String,
}

/// A wave operation: a builtin, and a model that fills `h.o` from `h.v`, `h.s` and `h.m`.
fn wave(device: &str, model: &str, to: &str, op: &str, masked: bool) -> Exchange {
    let condition = if masked { "M" } else { "true" };
    Exchange {
        declared: String::new(),
        device: format!("if ({condition}) {to} {op} (u32)({device});"),
        host: format!(
            "for (u32 q = 0; q < B; q += 64) {{
    Wave h;
    for (u32 k = 0; k < 64; k++) {{ u32 t = q + k; Lane& l = a[t]; h.m[k] = {condition}; h.v[k] = V; h.s[k] = S; }}
    {model};
    for (u32 k = 0; k < 64; k++) if (h.m[k]) {{ Lane& l = a[q + k]; {to} {op} h.o[k]; }}
  }}"
        ),
    }
}

fn dpp(r: &mut Rng, to: &str, op: &str) -> Exchange {
    let control = match r.u32(..10) {
        0 => r.u32(..256),
        1 => 0x100 + r.u32(1..16),
        2 => 0x110 + r.u32(1..16),
        3 => 0x120 + r.u32(1..16),
        n => [0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143][(n as usize * 5 + r.usize(..8)) % 8],
    };
    let (rows, banks) = if r.bool() { (15, 15) } else { (r.u32(..16), r.u32(..16)) };
    let bounded = r.bool();
    wave(
        &format!("__builtin_amdgcn_update_dpp((i32)S, (i32)V, {control}, {rows}, {banks}, {bounded})"),
        &format!("h_dpp(h, {control}, {rows}, {banks}, {bounded})"),
        to,
        op,
        r.bool(),
    )
}

fn in_wave(r: &mut Rng, to: &str, op: &str) -> Exchange {
    match r.u32(..12) {
        0 => wave("__builtin_amdgcn_ds_bpermute((i32)S, (i32)V)", "h_bpermute(h)", to, op, r.bool()),
        1 => {
            let address = if r.bool() {
                format!("(t ^ {}) * 4", r.u32(..64))
            } else {
                format!("(t + {} & 63) * 4", r.u32(..64))
            };
            let mut made = wave(
                &format!("__builtin_amdgcn_ds_permute((i32)({address}), (i32)V)"),
                "h_permute(h)",
                to,
                op,
                r.bool(),
            );
            made.host = made.host.replace("h.s[k] = S;", &format!("h.s[k] = {address};"));
            made
        }
        2 => {
            let pattern = if r.bool() { 0x8000 | r.u32(..256) } else { r.u32(..0x8000) };
            wave(
                &format!("__builtin_amdgcn_ds_swizzle((i32)V, {pattern})"),
                &format!("h_swizzle(h, {pattern})"),
                to,
                op,
                r.bool(),
            )
        }
        3 => {
            let lane = r.u32(..64);
            wave(
                &format!("__builtin_amdgcn_readlane((i32)V, {lane})"),
                &format!("h_readlane(h, {lane})"),
                to,
                op,
                false,
            )
        }
        4 => wave("__builtin_amdgcn_readfirstlane((i32)V)", "h_readfirst(h)", to, op, r.bool()),
        5 => {
            let half = r.u32(..2);
            wave(
                &format!("__builtin_amdgcn_ballot_w64(V & 1) >> {}", 32 * half),
                &format!("h_ballot(h, {half})"),
                to,
                op,
                r.bool(),
            )
        }
        6 => wave(
            "__builtin_amdgcn_mbcnt_hi(S, __builtin_amdgcn_mbcnt_lo(V, 0))",
            "h_mbcnt(h)",
            to,
            op,
            r.bool(),
        ),
        _ => dpp(r, to, op),
    }
}

/// Every lane writes a slot of its own and reads any.
fn shared(r: &mut Rng, name: &str, to: &str, op: &str) -> Exchange {
    let ty = [Ty::U8, Ty::U16, Ty::I16, Ty::U32, Ty::U64, Ty::F32, Ty::F64][r.usize(..7)];
    let c = ty.name();
    let value = if ty == Ty::U64 { "(u64)V * 0x9e3779b97f4a7c15ul".to_owned() } else { format!("({c})V") };
    let back = if ty == Ty::U64 { "(u32)(z >> 17)" } else { "(u32)(i64)z" };
    let slot = format!("(t ^ {}) & B - 1", r.u32(..64));
    Exchange {
        declared: format!("#if DEVICE\nLDS {c} {name}[B];\n#endif\n"),
        device: format!(
            "{name}[{slot}] = {value}; barrier(); {{ {c} z = {name}[S & B - 1]; {to} {op} {back}; }} barrier();"
        ),
        host: format!(
            "{{ static {c} x[B], y[B];
    for (u32 t = 0; t < B; t++) {{ Lane& l = a[t]; x[{slot}] = {value}; }}
    for (u32 t = 0; t < B; t++) {{ Lane& l = a[t]; y[t] = x[S & B - 1]; }}
    for (u32 t = 0; t < B; t++) {{ Lane& l = a[t]; {c} z = y[t]; {to} {op} {back}; }} }}"
        ),
    }
}

/// Operations on a few cells whose order does not matter.
fn atomic(r: &mut Rng, name: &str, to: &str, op: &str) -> Exchange {
    let ty = [Ty::U32, Ty::I32, Ty::U64, Ty::I64, Ty::F32][r.usize(..5)];
    let c = ty.name();
    let global = r.bool() && ty != Ty::F32;
    let scope = if global { "__HIP_MEMORY_SCOPE_AGENT" } else { "__HIP_MEMORY_SCOPE_WORKGROUP" };
    let call = |what: &str| format!("__hip_atomic_fetch_{what}(&x[k], v, __ATOMIC_RELAXED, {scope})");
    let (device, host) = if ty == Ty::F32 {
        (call("add"), "x[k] += v".to_owned())
    } else {
        match r.u32(..8) {
            0 => (call("add"), "x[k] += v".to_owned()),
            1 => (call("and"), "x[k] &= v".to_owned()),
            2 => (call("or"), "x[k] |= v".to_owned()),
            3 => (call("xor"), "x[k] ^= v".to_owned()),
            4 => (call("min"), "x[k] = least(x[k], v)".to_owned()),
            5 => (call("max"), "x[k] = most(x[k], v)".to_owned()),
            6 => (
                format!("__hip_atomic_fetch_add(&x[k], -v, __ATOMIC_RELAXED, {scope})"),
                "x[k] -= v".to_owned(),
            ),
            _ => (
                format!(
                    "{{ {c} old = __hip_atomic_load(&x[k], __ATOMIC_RELAXED, {scope}); while (!__hip_atomic_compare_exchange_strong(&x[k], &old, ({c})(old * (v | 1)), __ATOMIC_RELAXED, __ATOMIC_RELAXED, {scope})) ; }}"
                ),
                format!("x[k] = ({c})(x[k] * (v | 1))"),
            ),
        }
    };
    let value = match ty {
        Ty::F32 => "(f32)(V & 255)".to_owned(),
        Ty::U64 | Ty::I64 => format!("({c})V * ({c})0x9e3779b97f4a7c15ul"),
        _ => format!("({c})V"),
    };
    let cells = [1u32, 4, 32][r.usize(..3)];
    let first = match ty {
        Ty::F32 => "7".to_owned(),
        _ => format!("({c}){:#x}ul + k", r.u64(..)),
    };
    let back = if ty == Ty::U64 || ty == Ty::I64 { "(u32)((u64)z >> 9)" } else { "(u32)(i64)z" };
    let place = if global {
        format!("{c}* x = ({c}*)(g + 32 * __builtin_amdgcn_workgroup_id_x())")
    } else {
        format!("{c}* x = {name}")
    };
    Exchange {
        declared: if global { String::new() } else { format!("#if DEVICE\nLDS {c} {name}[{cells}];\n#endif\n") },
        device: format!(
            "{{ {place}; for (u32 k = t; k < {cells}; k += B) x[k] = {first}; barrier();
    if (M) {{ u32 k = S % {cells}; {c} v = {value}; {device}; }}
    barrier(); {c} z = x[(t ^ S) % {cells}]; {to} {op} {back}; barrier(); }}"
        ),
        host: format!(
            "{{ {c} x[{cells}]; for (u32 k = 0; k < {cells}; k++) x[k] = {first};
    for (u32 t = 0; t < B; t++) {{ Lane& l = a[t]; if (M) {{ u32 k = S % {cells}; {c} v = {value}; {host}; }} }}
    for (u32 t = 0; t < B; t++) {{ Lane& l = a[t]; {c} z = x[(t ^ S) % {cells}]; {to} {op} {back}; }} }}"
        ),
    }
}

/// Makes the program of a seed.
pub fn group(r: &mut Rng, id: usize) -> Program {
    let block = [64u32, 128, 256][r.usize(..3)];
    let mut pieces = vec![Piece::Text(format!(
        "struct Lane{id} {{ u32 a, b, c; i32 d; u64 e; f32 f; u16 g; f64 h; }};\n"
    ))];
    let (mut device, mut host) = (String::new(), String::new());
    let scope = Scope {
        vars: STATE.iter().map(|(name, ty)| ((*name).to_owned(), *ty)).collect(),
        counters: vec![("t".to_owned(), Ty::U32)],
        ..Scope::default()
    };
    for n in 0..r.usize(2..7) {
        let mut b = Body { r, scope: scope.clone(), depth: 2, trips: 8, loops: 0, outputs: 0, names: 0 };
        let body = Piece::Block(b.block(3, 2));
        pieces.extend(fill(&format!("INL void p{id}_{n}(Lane{id}& l, u32 t) @\n"), vec![body]));
        let mut maker = Maker { r, scope: &scope };
        let value = maker.expr(Ty::U32, 2);
        let source = maker.expr(Ty::U32, 2);
        let part = maker.condition(2);
        let head =
            |kind: &str, ty: &str| format!("INL {ty} {kind}{id}_{n}(Lane{id}& l, u32 t) {{ return @; }}\n");
        pieces.extend(fill(&head("x", "u32"), vec![Piece::Expr(value)]));
        pieces.extend(fill(&head("s", "u32"), vec![Piece::Expr(source)]));
        pieces.extend(fill(&head("m", "bool"), vec![Piece::Expr(part)]));

        let to = ["l.a", "l.b", "l.c", "l.d", "l.g"][r.usize(..5)];
        let op = ["=", "=", "^=", "+="][r.usize(..4)];
        let name = format!("z{id}_{n}");
        let exchange = match r.u32(..8) {
            0 | 1 => shared(r, &name, to, op),
            2 | 3 => atomic(r, &name, to, op),
            _ => in_wave(r, to, op),
        };
        let named = |text: &str| {
            let words = text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_');
            let mut out = String::new();
            for word in words {
                let cut = word.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_').len();
                let (head, tail) = word.split_at(cut);
                out += &match head {
                    "V" => format!("x{id}_{n}(l, t)"),
                    "S" => format!("s{id}_{n}(l, t)"),
                    "M" => format!("m{id}_{n}(l, t)"),
                    "B" => block.to_string(),
                    "Lane" => format!("Lane{id}"),
                    _ => head.to_owned(),
                };
                out += tail;
            }
            out
        };
        pieces.push(Piece::Text(named(&exchange.declared)));
        device += &format!("  p{id}_{n}(l, t);\n  {}\n", named(&exchange.device));
        host += &format!(
            "  for (u32 t = 0; t < {block}; t++) p{id}_{n}(a[t], t);\n  {}\n",
            named(&exchange.host)
        );
    }
    let load: String = STATE
        .iter()
        .enumerate()
        .map(|(k, (name, ty))| format!("{name} = in<{}>(w[{WORDS} * i + {k}]); ", ty.name()))
        .collect();
    let store: String = STATE
        .iter()
        .enumerate()
        .map(|(k, (name, _))| format!("o[{WORDS} * i + {k}] = out({name}); "))
        .collect();
    pieces.push(Piece::Text(format!(
        "#if DEVICE
extern \"C\" __attribute__((global, amdgpu_flat_work_group_size({block}, {block}))) void k{id}(const u64* w, u64* o, u64* g, u32 n) {{
  u32 t = __builtin_amdgcn_workitem_id_x(), i = __builtin_amdgcn_workgroup_id_x() * {block} + t;
  Lane{id} l;
  {load}
{device}  {store}
}}
#else
static void k{id}(const u64* w, u64* o, u32 n) {{
  static Lane{id} a[{block}];
  for (u32 first = 0; first < n; first += {block}) {{
  for (u32 t = 0; t < {block}; t++) {{ u32 i = first + t; Lane{id}& l = a[t]; {load}}}
{host}  for (u32 t = 0; t < {block}; t++) {{ u32 i = first + t; Lane{id}& l = a[t]; {store}}}
  }}
}}
#endif
"
    )));
    let inputs = STATE.iter().map(|(_, ty)| *ty).collect();
    Program { pieces, inputs, checks: vec![Check::Bits; WORDS], notes: vec![], block, whole: true }
}
