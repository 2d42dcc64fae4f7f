//! Random statements: assignments, loops with bounded trips, branches, arrays, vectors, pointers.

use fastrand::Rng;

use crate::expr::{Maker, Scope};
use crate::tree::{Piece, Stmt, stmt};
use crate::types::Ty;

/// The largest number of times that a statement of a function may run.
const MOST_TRIPS: u32 = 96;

/// Makes the statements of one function.
pub struct Body<'a> {
    pub r: &'a mut Rng,
    pub scope: Scope,
    /// Depth of expressions.
    pub depth: u32,
    /// How often what is made now may run.
    pub trips: u32,
    /// How many loops enclose it.
    pub loops: u32,
    /// The number of words that the function writes at `o`; none when it has no such parameter.
    pub outputs: u32,
    /// Names made so far.
    pub names: u32,
}

impl Body<'_> {
    pub fn piece(&mut self, ty: Ty) -> Piece {
        let depth = self.r.u32(1..=self.depth);
        Piece::Expr(Maker { r: self.r, scope: &self.scope }.expr(ty, depth))
    }

    pub fn condition(&mut self) -> Piece {
        Piece::Expr(Maker { r: self.r, scope: &self.scope }.condition(2))
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    pub fn block(&mut self, size: u32, nesting: u32) -> Vec<Stmt> {
        let n = self.r.u32(1..=size);
        (0..n).map(|_| self.stmt(nesting)).collect()
    }

    fn inner(&mut self, nesting: u32) -> Piece {
        Piece::Block(self.block(4, nesting - 1))
    }

    fn variable(&mut self) -> (String, Ty) {
        self.scope.vars[self.r.usize(..self.scope.vars.len())].clone()
    }

    fn stmt(&mut self, nesting: u32) -> Stmt {
        match self.r.u32(..if nesting == 0 { 14 } else { 24 }) {
            0..=5 => self.assign(),
            6 | 7 => self.compound(),
            8 | 9 => self.store(),
            10 => self.vector(),
            11 => self.bytes(),
            12 => self.pointer(),
            13 => self.leave(),
            14 | 15 => {
                let parts = vec![self.condition(), self.inner(nesting)];
                stmt("if (@) @", parts)
            }
            16 | 17 => {
                let parts = vec![self.condition(), self.inner(nesting), self.inner(nesting)];
                stmt("if (@) @ else @", parts)
            }
            18 => self.switch(nesting),
            _ => self.looping(nesting),
        }
    }

    fn assign(&mut self) -> Stmt {
        let (name, ty) = self.variable();
        let value = self.piece(ty);
        stmt(&format!("{name} = @;"), vec![value])
    }

    fn compound(&mut self) -> Stmt {
        let (name, ty) = self.variable();
        let ops: &[&str] =
            if ty.is_float() { &["+=", "-=", "*="] } else { &["+=", "-=", "^=", "|=", "&=", "*="] };
        let op = ops[self.r.usize(..ops.len())];
        let value = self.piece(ty);
        // See compiler-bugs.md 3.
        if ty.is_float() && op == "-=" {
            return stmt(&format!("{name} = minus<{}>({name}, @);", ty.name()), vec![value]);
        }
        stmt(&format!("{name} {op} @;"), vec![value])
    }

    fn store(&mut self) -> Stmt {
        let written: Vec<_> = self.scope.arrays.iter().filter(|array| array.3).cloned().collect();
        if written.is_empty() {
            return self.assign();
        }
        let (name, ty, len, _) = &written[self.r.usize(..written.len())];
        let parts = vec![self.piece(Ty::U32), self.piece(*ty)];
        stmt(&format!("{name}[@ & {}] = @;", len - 1), parts)
    }

    /// Ends the loop, the round, or the function; or writes an output early.
    fn leave(&mut self) -> Stmt {
        match self.r.u32(..4) {
            0 if self.loops > 0 => stmt("if (@) break;", vec![self.condition()]),
            1 if self.loops > 0 => stmt("if (@) continue;", vec![self.condition()]),
            2 if self.outputs > 0 && self.r.u32(..4) == 0 => stmt("if (@) return;", vec![self.condition()]),
            3 if self.outputs > 0 => {
                let slot = self.r.u32(..self.outputs);
                let ty = Ty::any(self.r);
                let value = self.piece(ty);
                stmt(&format!("o[{slot}] = out<{}>(@);", ty.name()), vec![value])
            }
            _ => self.assign(),
        }
    }

    fn switch(&mut self, nesting: u32) -> Stmt {
        let cases = self.r.u32(2..7);
        let gap = [1, 1, 1, 3, 100][self.r.usize(..5)];
        let mut text = format!("switch ((u32)@ % {}u * {gap}u) {{", cases + 1);
        let mut parts = vec![self.piece(Ty::U32)];
        for n in 0..cases {
            let end = if self.r.u32(..4) == 0 { "[[fallthrough]];" } else { "break;" };
            text += &format!(" case {}u: @ {end}", n * gap);
            parts.push(self.inner(nesting));
        }
        text += " default: @ }";
        parts.push(self.inner(nesting));
        stmt(&text, parts)
    }

    fn looping(&mut self, nesting: u32) -> Stmt {
        let most = (MOST_TRIPS / self.trips).min(16);
        if most < 2 {
            return self.assign();
        }
        let n = self.r.u32(2..=most);
        let name = self.name("c");
        let head = match self.r.u32(..4) {
            0 => stmt(&format!("for (u32 {name} = 0; {name} < {n}; {name}++) "), vec![]),
            1 => stmt(&format!("for (u32 {name} = {n}; {name} > 0 && @; {name}--) "), vec![self.condition()]),
            2 => {
                let step = self.r.u32(1..4);
                let limit = self.piece(Ty::U32);
                stmt(
                    &format!(
                        "for (u32 {name} = 0, e{name} = @ % {n}u; {name} <= e{name}; {name} += {step}) "
                    ),
                    vec![limit],
                )
            }
            _ => {
                let limit = self.piece(Ty::U8);
                stmt(&format!("for (u32 {name} = (u32)@ % {n}u; {name} > 0; {name}--) "), vec![limit])
            }
        };
        let mut pieces = head.pieces;
        let (trips, vars) = (self.trips, self.scope.counters.len());
        self.scope.counters.push((name, Ty::U32));
        self.trips *= n;
        self.loops += 1;
        pieces.push(self.inner(nesting));
        self.loops -= 1;
        self.trips = trips;
        self.scope.counters.truncate(vars);
        Stmt { pieces }
    }

    /// Arithmetic on a vector of two or four.
    fn vector(&mut self) -> Stmt {
        const SHAPES: &[(&str, Ty, usize)] = &[
            ("f16x2", Ty::F16, 2),
            ("f32x2", Ty::F32, 2),
            ("i16x2", Ty::I16, 2),
            ("u16x2", Ty::U16, 2),
            ("u8x4", Ty::U8, 4),
            ("u32x4", Ty::U32, 4),
        ];
        let (vector, ty, n) = SHAPES[self.r.usize(..SHAPES.len())];
        let ints: &[&str] =
            &["p + q", "p - q", "p * q", "p & q", "p ^ q", "p * q + p", "p << (q & 7)", "p >> (q & 7)"];
        let mut ops: Vec<String> = if ty.is_float() {
            ["p + q", "minus(p, q)", "p * q", "p * q + p", "-p * q", "p + q.yx"].map(str::to_owned).to_vec()
        } else {
            ints.iter().map(|op| (*op).to_owned()).collect()
        };
        if ty == Ty::F32 || ty == Ty::F16 {
            ops.push(format!("({vector}){{fma_(p.x, q.x, p.y), fma_(p.y, q.x, q.y)}}"));
            ops.push(format!("({vector}){{fmax_(p.x, q.y), fmax_(p.y, q.x)}}"));
            ops.push(format!("({vector}){{fmin_(p.x, q.x), fmin_(p.y, q.y)}}"));
        } else {
            ops.push("__builtin_elementwise_max(p, q)".to_owned());
            ops.push("__builtin_elementwise_min(p, q)".to_owned());
            ops.push("__builtin_elementwise_add_sat(p, q)".to_owned());
            ops.push("__builtin_elementwise_sub_sat(p, q)".to_owned());
        }
        let places = vec!["@"; n].join(", ");
        let mut text = format!("{{ {vector} p = {{{places}}}, q = {{{places}}};");
        for _ in 0..self.r.u32(1..4) {
            let op = &ops[self.r.usize(..ops.len())];
            text += &format!(" {} = {op};", if self.r.bool() { "p" } else { "q" });
        }
        let parts = (0..2 * n).map(|_| self.piece(ty)).collect();
        for k in 0..n {
            let fitting: Vec<String> =
                self.scope.vars.iter().filter(|var| var.1 == ty).map(|var| var.0.clone()).collect();
            let part = format!("{}.{}", if self.r.bool() { "p" } else { "q" }, ["x", "y", "z", "w"][k]);
            if fitting.is_empty() {
                let (name, to) = self.variable();
                if !to.is_float() && ty.is_float() {
                    text += &format!(" {name} ^= ({})out({part});", to.name());
                } else if to == Ty::F16 {
                    // See compiler-bugs.md 5.
                    text += &format!(" {name} = to_half({part});");
                } else {
                    text += &format!(" {name} = ({}){part};", to.name());
                }
            } else {
                text += &format!(" {} = {part};", fitting[self.r.usize(..fitting.len())]);
            }
        }
        stmt(&(text + " }"), parts)
    }

    /// Loads and stores at any byte of an array of integers.
    fn bytes(&mut self) -> Stmt {
        let fitting: Vec<_> =
            self.scope.arrays.iter().filter(|array| array.3 && !array.1.is_float()).cloned().collect();
        if fitting.is_empty() {
            return self.assign();
        }
        let (name, ty, len, _) = &fitting[self.r.usize(..fitting.len())];
        let moved = if len * ty.bits() < 64 { Ty::U8 } else { Ty::any_int(self.r) };
        let size = moved.bits() / 8;
        let last = (len * ty.bits() / 8).saturating_sub(size);
        let at = self.piece(Ty::U32);
        if self.r.bool() {
            let value = self.piece(moved);
            stmt(
                &format!(
                    "{{ {} b = @; __builtin_memcpy((u8*){name} + @ % {}u, &b, {size}); }}",
                    moved.name(),
                    last + 1
                ),
                vec![value, at],
            )
        } else {
            let (to, to_ty) = self.variable();
            let set = if to_ty == Ty::F16 { "to_half(b)".to_owned() } else { format!("({})b", to_ty.name()) };
            stmt(
                &format!(
                    "{{ {} b; __builtin_memcpy(&b, (u8*){name} + @ % {}u, {size}); {to} = {set}; }}",
                    moved.name(),
                    last + 1
                ),
                vec![at],
            )
        }
    }

    /// A store through one of two pointers.
    fn pointer(&mut self) -> Stmt {
        let (name, ty) = self.variable();
        let fitting: Vec<String> = self
            .scope
            .vars
            .iter()
            .filter(|var| var.1 == ty && !var.0.contains('.'))
            .map(|var| var.0.clone())
            .collect();
        if fitting.is_empty() || name.contains('.') {
            return self.assign();
        }
        let other = &fitting[self.r.usize(..fitting.len())];
        let (condition, value) = (self.condition(), self.piece(ty));
        stmt(&format!("{{ {0}* p = @ ? &{name} : &{other}; *p = @; }}", ty.name()), vec![condition, value])
    }
}
