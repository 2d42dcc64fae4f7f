//! Programs of transcendental functions: the device libraries' against the host's, in units of the last place.

use fastrand::Rng;

use crate::program::{Check, Program, WORDS};
use crate::tree::Piece;
use crate::types::Ty;

/// Name, operands, bound in ulp (OpenCL C 3.0, section 7.4; the libraries are better).
const FUNCTIONS: &[(&str, usize, f64)] = &[
    ("sin", 1, 4.0),
    ("cos", 1, 4.0),
    ("tan", 1, 5.0),
    ("exp", 1, 3.0),
    ("exp2", 1, 3.0),
    ("expm1", 1, 3.0),
    ("log", 1, 3.0),
    ("log2", 1, 3.0),
    ("log10", 1, 3.0),
    ("log1p", 1, 2.0),
    ("pow", 2, 16.0),
    ("atan2", 2, 6.0),
    ("hypot", 2, 4.0),
    ("asin", 1, 4.0),
    ("acos", 1, 4.0),
    ("atan", 1, 5.0),
    ("sinh", 1, 4.0),
    ("cosh", 1, 4.0),
    ("tanh", 1, 5.0),
    ("cbrt", 1, 2.0),
    ("asinh", 1, 4.0),
    ("acosh", 1, 4.0),
    ("atanh", 1, 5.0),
    ("erf", 1, 16.0),
    ("fmod", 2, 0.0),
    ("remainder", 2, 0.0),
];

pub fn ulps(r: &mut Rng, id: usize) -> Program {
    let double = r.bool();
    let (ty, suffix) = if double { (Ty::F64, "f64") } else { (Ty::F32, "f32") };
    let (mut declared, mut device, mut host) = (String::new(), String::new(), String::new());
    let (mut checks, mut notes) = (vec![], vec![]);
    for slot in 0..WORDS {
        let (name, operands, bound) = FUNCTIONS[r.usize(..FUNCTIONS.len())];
        let names = ["x", "y"][..operands].join(", ");
        // Singles are judged by doubles; doubles by what has more digits yet, for the host's own are some units off.
        // But not `pow` (compiler-bugs.md 8).
        let (long, wide) = if double && name != "pow" { ("l", "long double") } else { ("", "f64") };
        let wide = ["x", "y"][..operands]
            .iter()
            .map(|name| format!("({wide}){name}"))
            .collect::<Vec<_>>()
            .join(", ");
        declared += &format!(
            "extern \"C\" __attribute__((device)) {0} __ocml_{name}_{suffix}({1});\n",
            ty.name(),
            vec![ty.name(); operands].join(", ")
        );
        let load = format!("  x = quiet{id}(w[{slot}]), y = quiet{id}(w[{}]);\n", (slot + 1) % WORDS);
        device += &format!("{load}  o[{slot}] = out(__ocml_{name}_{suffix}({names}));\n");
        host += &format!("{load}  o[{slot}] = out<f64>((f64)__builtin_{name}{long}({wide}));\n");
        notes.push(format!(" ({name} of {operands})"));
        checks.push(if double { Check::Ulps64(bound) } else { Check::Ulps32(bound) });
    }
    let ty_name = ty.name();
    let text = format!(
        "INL {ty_name} quiet{id}(u64 w) {{ return in<{ty_name}>(out(in<{ty_name}>(w))); }}
#if DEVICE
{declared}extern \"C\" __attribute__((global, amdgpu_flat_work_group_size(256, 256))) void k{id}(const u64* w, u64* o, u64* g, u32 n) {{
  u32 i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  if (i >= n) return;
  w += {WORDS} * i, o += {WORDS} * i;
  {ty_name} x, y;
{device}}}
#else
static void k{id}(const u64* w, u64* o, u32 n) {{
  for (; n; n--, w += {WORDS}, o += {WORDS}) {{
  {ty_name} x, y;
{host}  }}
}}
#endif
"
    );
    Program {
        pieces: vec![Piece::Text(text)],
        inputs: vec![ty; WORDS],
        checks,
        notes,
        block: 256,
        whole: false,
    }
}
