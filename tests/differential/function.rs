//! Random functions of one work-item: a body with helpers, recursion, a struct, tables and local arrays.

use fastrand::Rng;

use crate::expr::Scope;
use crate::program::{Check, Program, WORDS};
use crate::stmt::Body;
use crate::tree::{Piece, Stmt, fill, stmt};
use crate::types::Ty;

fn text(pieces: &mut Vec<Piece>, text: String) {
    pieces.push(Piece::Text(text));
}

fn body<'a>(r: &'a mut Rng, scope: Scope) -> Body<'a> {
    Body { r, scope, depth: 3, trips: 1, loops: 0, outputs: 0, names: 0 }
}

/// A struct with fields of several widths, some of them of bits.
fn fields(r: &mut Rng) -> Vec<(String, Ty, Option<u32>)> {
    (0..r.usize(2..6))
        .map(|n| {
            let ty = Ty::any(r);
            let width = (!ty.is_float() && r.u32(..3) == 0).then(|| r.u32(1..ty.bits()));
            (format!("m{n}"), ty, width)
        })
        .collect()
}

fn declare(scope: &mut Scope, r: &mut Rng, stmts: &mut Vec<Stmt>, arrays: u32) {
    for n in 0..arrays {
        let ty = Ty::any(r);
        let len = 1 << r.u32(1..6);
        let name = format!("a{n}");
        let start = ty.literal(r);
        let set = if ty == Ty::F16 { "to_half((i32)k)".to_owned() } else { format!("({})k", ty.name()) };
        stmts.push(stmt(
            &format!(
                "{0} {name}[{len}]; for (u32 k = 0; k < {len}; k++) {name}[k] = ({0})({start} + {set});",
                ty.name()
            ),
            vec![],
        ));
        scope.arrays.push((name, ty, len, true));
    }
}

/// A function that others call: scalars in, a scalar out. Adds its text and makes it known.
fn helper(r: &mut Rng, id: usize, n: usize, scope: &mut Scope, pieces: &mut Vec<Piece>) {
    let name = format!("h{id}_{n}");
    let result = Ty::any(r);
    let params: Vec<Ty> = (0..r.usize(1..6)).map(|_| Ty::any(r)).collect();
    let recursive = r.u32(..3) == 0;
    let mut own = Scope { arrays: scope.arrays.clone(), ..Scope::default() };
    if r.u32(..3) == 0 {
        own.calls = scope.calls.clone();
    }
    own.vars = params.iter().enumerate().map(|(n, &ty)| (format!("p{n}"), ty)).collect();
    own.vars.push(("t".to_owned(), result));
    let list: Vec<String> = params.iter().enumerate().map(|(n, ty)| format!("{} p{n}", ty.name())).collect();
    let list = list.join(", ");
    let mut stmts = Vec::new();
    let arrays = u32::from(r.u32(..3) == 0);
    declare(&mut own, r, &mut stmts, arrays);
    let mut b = body(r, own);
    b.trips = 8;
    stmts.extend(b.block(3, 2));
    if recursive {
        let args: Vec<Piece> = params.iter().map(|&ty| b.piece(ty)).collect();
        let places = vec!["@"; params.len()].join(", ");
        stmts.push(stmt(&format!("if (depth > 0) t = r{name}(depth - 1, {places});"), args));
        stmts.extend(b.block(3, 1));
    }
    let value = b.piece(result);
    stmts.push(stmt("t = @;", vec![value]));
    let ty = result.name();
    let shell = if recursive {
        format!("NOINL {ty} r{name}(u32 depth, {list}) {{\n  {ty} t = ({ty})depth;\n  @\n  return t;\n}}\n")
    } else {
        format!("NOINL {ty} {name}({list}) {{\n  {ty} t = ({ty})0;\n  @\n  return t;\n}}\n")
    };
    let mut block = fill(&shell, vec![Piece::Block(stmts)]);
    // Locals must outlive the block that holds the statements, which all are inside it.
    pieces.append(&mut block);
    if recursive {
        let depth = b.r.u32(1..9);
        let names: Vec<String> = (0..params.len()).map(|n| format!("p{n}")).collect();
        text(
            pieces,
            format!("NOINL {ty} {name}({list}) {{ return r{name}({depth}, {}); }}\n", names.join(", ")),
        );
    }
    scope.calls.push((name, params, result));
}

/// Makes the function of a seed.
pub fn function(r: &mut Rng, id: usize) -> Program {
    let mut pieces = Vec::new();
    let mut scope = Scope::default();
    for n in 0..r.usize(..2) {
        let (ty, len) = (Ty::any_int(r), 1 << r.u32(2..6));
        let values: Vec<String> = (0..len).map(|_| ty.literal(r)).collect();
        let name = format!("t{id}_{n}");
        text(&mut pieces, format!("TABLE {} {name}[{len}] = {{{}}};\n", ty.name(), values.join(", ")));
        scope.arrays.push((name, ty, len, false));
    }
    for n in 0..r.usize(..4) {
        helper(r, id, n, &mut scope, &mut pieces);
    }

    let mut stmts = Vec::new();
    let inputs: Vec<Ty> = (0..WORDS).map(|_| Ty::any(r)).collect();
    let mut locals = String::new();
    for (n, ty) in inputs.iter().enumerate() {
        locals += &format!("  {0} v{n} = in<{0}>(w[{n}]);\n", ty.name());
        scope.vars.push((format!("v{n}"), *ty));
    }
    // A struct that goes through a function by value.
    let structured = r.u32(..3) == 0;
    if structured {
        let fields = fields(r);
        let list: String = fields
            .iter()
            .map(|(name, ty, width)| match width {
                Some(width) => format!("{} {name} : {width}; ", ty.name()),
                None => format!("{} {name}; ", ty.name()),
            })
            .collect();
        text(&mut pieces, format!("struct S{id} {{ {list}}};\n"));
        let member = |of: &str| fields.iter().map(|f| (format!("{of}.{}", f.0), f.1)).collect::<Vec<_>>();
        let own = Scope { vars: member("s"), arrays: scope.arrays.clone(), ..Scope::default() };
        let block = Piece::Block(body(r, own).block(4, 1));
        pieces.extend(fill(&format!("NOINL S{id} g{id}(S{id} s) {{\n  @\n  return s;\n}}\n"), vec![block]));
        locals += &format!("  S{id} s = {{}};\n");
        scope.vars.extend(member("s"));
    }
    let arrays = r.u32(..3);
    declare(&mut scope, r, &mut stmts, arrays);
    let declared = scope.arrays.clone();
    let mut b = body(r, scope);
    b.outputs = WORDS as u32;
    stmts.extend(b.block(8, 3));
    if structured {
        stmts.push(stmt(&format!("s = g{id}(s);"), vec![]));
        stmts.extend(b.block(3, 1));
    }
    for (n, ty) in inputs.iter().enumerate() {
        let value = if n % 2 == 1 && structured { b.piece(*ty) } else { Piece::Text(format!("v{n}")) };
        stmts.push(stmt(&format!("o[{n}] = out<{}>(@);", ty.name()), vec![value]));
    }
    for (name, _, len, written) in &declared {
        if *written {
            stmts.push(stmt(
                &format!("for (u32 k = 0; k < {len}; k++) o[0] = o[0] * 31 + out({name}[k]);"),
                vec![],
            ));
        }
    }
    let inline = if r.bool() { "NOINL" } else { "INL" };
    let shell = format!("{inline} void f{id}(const u64* w, u64* o) {{\n{locals}  @\n}}\n");
    pieces.extend(fill(&shell, vec![Piece::Block(stmts)]));
    let block = [64, 64, 128, 256, 1024][r.usize(..5)];
    text(
        &mut pieces,
        format!(
            "#if DEVICE
extern \"C\" __attribute__((global, amdgpu_flat_work_group_size({block}, {block}))) void k{id}(const u64* w, u64* o, u64* g, u32 n) {{
  u32 i = __builtin_amdgcn_workgroup_id_x() * {block} + __builtin_amdgcn_workitem_id_x();
  if (i < n) f{id}(w + {WORDS} * i, o + {WORDS} * i);
}}
#else
static void k{id}(const u64* w, u64* o, u32 n) {{
  for (u32 i = 0; i < n; i++) f{id}(w + {WORDS} * i, o + {WORDS} * i);
}}
#endif
"
        ),
    );
    Program { pieces, inputs, checks: vec![Check::Bits; WORDS], notes: vec![], block, whole: false }
}
