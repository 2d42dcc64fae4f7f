//! Random expressions, typed, without undefined behaviour.

use fastrand::Rng;

use crate::tree::{Expr, Piece, fill};
use crate::types::Ty;

/// What can be read where an expression stands, and what can be called.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Scalar variables.
    pub vars: Vec<(String, Ty)>,
    /// Variables that a statement may not assign: counters.
    pub counters: Vec<(String, Ty)>,
    /// Arrays, with lengths that are powers of two; whether they may be written.
    pub arrays: Vec<(String, Ty, u32, bool)>,
    /// Functions, with their parameters and their result.
    pub calls: Vec<(String, Vec<Ty>, Ty)>,
}

/// Makes an expression of a type and of a depth.
pub struct Maker<'a> {
    pub r: &'a mut Rng,
    pub scope: &'a Scope,
}

fn make(ty: Ty, template: &str, parts: Vec<Expr>) -> Expr {
    Expr { ty: ty.name(), pieces: fill(template, parts.into_iter().map(Piece::Expr).collect()) }
}

/// Operations of two operands on integers; `T` stands for the type.
const INT2: &[&str] = &[
    "(T)(@ + @)",
    "(T)(@ - @)",
    "(T)(@ * @)",
    "(T)(@ & @)",
    "(T)(@ | @)",
    "(T)(@ ^ @)",
    "(T)(@ & flip<T>(@))",
    "shl<T>(@, @)",
    "shr<T>(@, @)",
    "lsr<T>(@, @)",
    "rotate<T>(@, @)",
    "least<T>(@, @)",
    "most<T>(@, @)",
    "high<T>(@, @)",
    "add_saturated<T>(@, @)",
    "sub_saturated<T>(@, @)",
    "carry<T>(@, @)",
    "borrow<T>(@, @)",
    "overflow<T>(@, @)",
    "flip<T>((T)(@ ^ @))",
    "flip<T>((T)(@ | @))",
];

/// Operations of one operand on integers.
const INT1: &[&str] = &[
    "(T)-@",
    "flip<T>(@)",
    "swap<T>(@)",
    "reverse<T>(@)",
    "popcount<T>(@)",
    "leading<T>(@)",
    "trailing<T>(@)",
    "(T)!@",
    "(T)(@ + 1)",
    "(T)(@ << 1)",
    "(T)(@ >> 3)",
    "(T)(@ & 15)",
];

/// Operations of three operands on integers.
const INT3: &[&str] = &[
    "field<T>(@, @, @)",
    "merge<T>(@, @, @)",
    "(T)(@ * @ + @)",
    "(T)(@ + @ + @)",
    "(T)(shl<T>(@, @) + @)",
    "(T)(shl<T>(@, @) | @)",
    "(T)(@ & @ | @)",
    "(T)(@ ^ @ ^ @)",
    "least<T>(most<T>(@, @), @)",
    "least<T>(least<T>(@, @), @)",
];

/// Operations on 32 bits that have builtins or idioms of their own.
const U32: &[(&str, usize)] = &[
    ("perm(@, @, @)", 3),
    ("alignbit(@, @, @)", 3),
    ("alignbyte(@, @, @)", 3),
    ("sad8(@, @, @)", 3),
    ("sad16(@, @, @)", 3),
    ("msad8(@, @, @)", 3),
    ("lerp(@, @, @)", 3),
    ("ubfe(@, @, @)", 3),
    ("sbfe(@, @, @)", 3),
    ("times24(@, @)", 2),
    ("(times24(@, @) + @)", 3),
    ("perm(@, @, @ & 0x07070707u)", 3),
];

const FLOAT2: &[&str] = &[
    "(T)(@ + @)",
    "minus<T>(@, @)",
    "(T)(@ * @)",
    "(T)(@ / @)",
    "fmin_<T>(@, @)",
    "fmax_<T>(@, @)",
    "sign_of(@, @)",
    "(T)(@ + @)",
    "(T)(@ * @)",
];

const FLOAT1: &[&str] = &[
    "(T)-@",
    "fabs_<T>(@)",
    "floor_<T>(@)",
    "ceil_<T>(@)",
    "trunc_<T>(@)",
    "rint_<T>(@)",
    "round_<T>(@)",
    "sqrt_<T>(@)",
    "mantissa(@)",
    "(T)-fabs_<T>(@)",
    "(T)(1 / @)",
    "(T)(@ * 2)",
    "(T)(@ * (T)0.5)",
];

const FLOAT3: &[&str] = &[
    "fma_((T)@, (T)@, (T)@)",
    "fma_((T)@, (T)-@, (T)@)",
    "(T)(@ * @ + @)",
    "fma_((T)@, (T)@, (T)-@)",
    "fmax_<T>(fmin_<T>(@, @), @)",
    "fmin_<T>(fmin_<T>(@, @), @)",
];

const COMPARE: &[&str] = &["(@ < @)", "(@ <= @)", "(@ > @)", "(@ >= @)", "(@ == @)", "(@ != @)", "!(@ < @)"];

impl Maker<'_> {
    fn one(&mut self, of: &[&'static str]) -> &'static str {
        of[self.r.usize(..of.len())]
    }

    /// An expression of the type.
    pub fn expr(&mut self, ty: Ty, depth: u32) -> Expr {
        if depth == 0 {
            return self.leaf(ty);
        }
        let d = depth - 1;
        match self.r.u32(..16) {
            0 => self.leaf(ty),
            1 | 2 => self.convert(ty, d),
            3 => {
                let condition = self.condition(d);
                let (a, b) = (self.expr(ty, d), self.expr(ty, d));
                let form = if self.r.bool() { "(@ ? (T)@ : (T)@)" } else { "pick<T>(@, @, @)" };
                make(ty, &form.replace('T', ty.name()), vec![condition, a, b])
            }
            4 => self.call(ty, d),
            5 => self.element(ty, d),
            _ if ty.is_float() => self.float(ty, d),
            _ => self.int(ty, d),
        }
    }

    fn same(&mut self, ty: Ty, template: &str, n: usize, d: u32) -> Expr {
        let parts = (0..n).map(|_| self.expr(ty, d)).collect();
        make(ty, template, parts)
    }

    fn int(&mut self, ty: Ty, d: u32) -> Expr {
        let of = |template: &str| template.replace('T', ty.name());
        match self.r.u32(..20) {
            0..=8 => {
                let template = self.one(INT2);
                self.same(ty, &of(template), 2, d)
            }
            9..=11 => {
                let template = self.one(INT1);
                self.same(ty, &of(template), 1, d)
            }
            12..=14 => {
                let template = self.one(INT3);
                self.same(ty, &of(template), 3, d)
            }
            15 if d == 0 || ty.bits() < 64 => {
                let template = self.one(&["divide<T>(@, @)", "remain<T>(@, @)"]);
                self.same(ty, &of(template), 2, d.min(1))
            }
            16 => {
                let condition = self.condition(d);
                make(ty, &of("(T)@"), vec![condition])
            }
            17 => {
                let float = Ty::any_float(self.r);
                let template = self.one(&["(T)exponent(@)", "(T)kind_of(@)", "(T)out(@)"]);
                let part = self.expr(float, d);
                make(ty, &of(template), vec![part])
            }
            _ if ty.bits() == 32 => {
                let (template, n) = U32[self.r.usize(..U32.len())];
                let parts = (0..n).map(|_| self.expr(Ty::U32, d)).collect();
                make(ty, &format!("({})({template})", ty.name()), parts)
            }
            _ if ty == Ty::U64 => {
                let parts = vec![self.expr(Ty::U64, d), self.expr(Ty::U32, d), self.expr(Ty::U64, d)];
                make(ty, "qsad(@, @, @)", parts)
            }
            _ if ty == Ty::I32 && self.r.bool() => self.same(ty, "times24(@, @)", 2, d),
            _ if ty == Ty::I64 => {
                let parts = vec![self.expr(Ty::I32, d), self.expr(Ty::I32, d), self.expr(Ty::I64, d)];
                make(ty, "((i64)@ * (i64)@ + @)", parts)
            }
            _ => {
                let template = if ty.is_signed() { "absolute<T>(@)" } else { "(T)(@ % 10)" };
                self.same(ty, &of(template), 1, d)
            }
        }
    }

    fn float(&mut self, ty: Ty, d: u32) -> Expr {
        let of = |template: &str| template.replace('T', ty.name());
        match self.r.u32(..12) {
            0..=5 => {
                let template = self.one(FLOAT2);
                self.same(ty, &of(template), 2, d)
            }
            6 | 7 => {
                let template = self.one(FLOAT1);
                self.same(ty, &of(template), 1, d)
            }
            8 => {
                let (x, n) = (self.expr(ty, d), self.expr(Ty::I32, d));
                let form = if self.r.bool() { "scale(@, @)" } else { "scale(@, (i32)(@ & 63) - 32)" };
                make(ty, form, vec![x, n])
            }
            9 if ty == Ty::F32 => {
                let template = self.one(&["med3(@, @, @)", "fract(@)"]);
                self.same(ty, template, template.matches('@').count(), d)
            }
            _ => {
                let template = self.one(FLOAT3);
                self.same(ty, &of(template), 3, d)
            }
        }
    }

    /// A value of another type, converted.
    fn convert(&mut self, ty: Ty, d: u32) -> Expr {
        let from = Ty::any(self.r);
        let part = self.expr(from, d);
        let (to, name) = (ty.name(), from.name());
        match (ty.is_float(), from.is_float()) {
            (false, true) => {
                let other = self.leaf(ty);
                make(ty, &format!("to_int<{to}, {name}>(@, @)"), vec![part, other])
            }
            // Integers in one rounding, floats hidden (compiler-bugs.md 5).
            _ if ty == Ty::F16 && from != Ty::F16 && from != Ty::F64 => make(ty, "to_half(@)", vec![part]),
            _ => make(ty, &format!("({to})@"), vec![part]),
        }
    }

    /// A truth value, whose type in C is `bool`.
    pub fn condition(&mut self, d: u32) -> Expr {
        let below = d.saturating_sub(1);
        let (template, parts) = match self.r.u32(..8) {
            0 if d > 0 => {
                let template = self.one(&["(@ && @)", "(@ || @)", "(@ != @)"]);
                (template, vec![self.condition(below), self.condition(below)])
            }
            1 => {
                let ty = Ty::any_int(self.r);
                ("((@ & 1) != 0)", vec![self.expr(ty, below)])
            }
            2 => {
                let ty = Ty::any_float(self.r);
                ("ordered(@, @)", vec![self.expr(ty, below), self.expr(ty, below)])
            }
            _ => {
                let ty = Ty::any(self.r);
                (self.one(COMPARE), vec![self.expr(ty, below), self.expr(ty, below)])
            }
        };
        Expr { ty: "bool", pieces: fill(template, parts.into_iter().map(Piece::Expr).collect()) }
    }

    fn call(&mut self, ty: Ty, d: u32) -> Expr {
        let fitting: Vec<usize> =
            (0..self.scope.calls.len()).filter(|&n| self.scope.calls[n].2 == ty).collect();
        if fitting.is_empty() || d > 1 {
            return self.expr(ty, d);
        }
        let (name, params, _) = &self.scope.calls[fitting[self.r.usize(..fitting.len())]];
        let places = vec!["@"; params.len()].join(", ");
        let parts = params.iter().map(|&param| self.expr(param, d)).collect();
        make(ty, &format!("{name}({places})"), parts)
    }

    /// An element of an array of the type, or of a type that is converted.
    fn element(&mut self, ty: Ty, d: u32) -> Expr {
        let scope = self.scope;
        let fitting: Vec<_> = scope.arrays.iter().filter(|array| array.1 == ty).collect();
        if fitting.is_empty() {
            return self.leaf(ty);
        }
        let (name, _, len, _) = fitting[self.r.usize(..fitting.len())];
        let index = self.expr(Ty::U32, d.min(2));
        make(ty, &format!("{name}[@ & {}]", len - 1), vec![index])
    }

    fn leaf(&mut self, ty: Ty) -> Expr {
        let all = self.scope.vars.iter().chain(&self.scope.counters);
        let fitting: Vec<&String> = all.filter(|var| var.1 == ty).map(|var| &var.0).collect();
        let text = if fitting.is_empty() || self.r.u32(..5) == 0 {
            let literal = ty.literal(self.r);
            // See compiler-bugs.md 2.
            let ones = !ty.is_float() && literal.ends_with(&format!("){:#x}ul", !0u64));
            if ones { format!("flip<{0}>(({0})0)", ty.name()) } else { literal }
        } else {
            fitting[self.r.usize(..fitting.len())].clone()
        };
        Expr { ty: ty.name(), pieces: vec![Piece::Text(text)] }
    }
}
