//! Programs as trees of text, so that they can be printed, and reduced without being understood.

/// A part of a statement or an expression.
#[derive(Debug, Clone)]
pub enum Piece {
    Text(String),
    Expr(Expr),
    Block(Vec<Stmt>),
}

/// An expression; its type in C is `ty`.
#[derive(Debug, Clone)]
pub struct Expr {
    pub ty: &'static str,
    pub pieces: Vec<Piece>,
}

/// A statement. Dropping any one leaves a program that compiles: what it uses is declared elsewhere, or in itself.
#[derive(Debug, Clone)]
pub struct Stmt {
    pub pieces: Vec<Piece>,
}

/// Fills the places `@` of a template.
pub fn fill(template: &str, parts: Vec<Piece>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut parts = parts.into_iter();
    for (n, text) in template.split('@').enumerate() {
        if n > 0 {
            pieces.extend(parts.next());
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(text.to_owned()));
        }
    }
    pieces.extend(parts);
    pieces
}

pub fn stmt(template: &str, parts: Vec<Piece>) -> Stmt {
    Stmt { pieces: fill(template, parts) }
}

/// Prints pieces; blocks are indented.
pub fn print(pieces: &[Piece], indent: usize, out: &mut String) {
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Expr(expr) => print(&expr.pieces, indent, out),
            Piece::Block(stmts) => {
                out.push_str("{\n");
                for stmt in stmts {
                    out.push_str(&"  ".repeat(indent + 1));
                    print(&stmt.pieces, indent + 1, out);
                    out.push('\n');
                }
                out.push_str(&"  ".repeat(indent));
                out.push('}');
            }
        }
    }
}

/// A way to make a program smaller.
#[derive(Debug, Clone, Copy)]
pub enum Edit {
    /// Leave the statement out.
    Drop,
    /// Put its first block in its place.
    Hoist,
    /// Put the expression's n-th part of the same type in its place.
    Child(usize),
    /// Put a constant in its place.
    Constant(&'static str),
}

/// The edits that can be tried on every statement and expression.
pub const STMT_EDITS: &[Edit] = &[Edit::Drop, Edit::Hoist];
pub const EXPR_EDITS: &[Edit] =
    &[Edit::Constant("0"), Edit::Child(0), Edit::Child(1), Edit::Child(2), Edit::Constant("1")];

/// Which of the two kinds of node to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nodes {
    Stmts,
    Exprs,
}

/// How many nodes of a kind there are.
pub fn count(pieces: &[Piece], kind: Nodes) -> usize {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(_) => 0,
            Piece::Expr(expr) => usize::from(kind == Nodes::Exprs) + count(&expr.pieces, kind),
            Piece::Block(stmts) => {
                stmts.iter().map(|stmt| usize::from(kind == Nodes::Stmts) + count(&stmt.pieces, kind)).sum()
            }
        })
        .sum()
}

/// Applies `edit` to the `n`-th node (in the order of the text). `None` when it does not fit there.
pub fn edit(pieces: &[Piece], kind: Nodes, n: usize, edit: Edit) -> Option<Vec<Piece>> {
    let mut copy = pieces.to_vec();
    let mut left = n;
    (walk(&mut copy, kind, &mut left, edit) == Some(true)).then_some(copy)
}

/// `Some` when the node was met: whether the edit was made.
fn walk(pieces: &mut [Piece], kind: Nodes, left: &mut usize, edit: Edit) -> Option<bool> {
    for piece in pieces {
        let met = match piece {
            Piece::Text(_) => None,
            Piece::Expr(expr) => walk_expr(expr, kind, left, edit),
            Piece::Block(stmts) => walk_block(stmts, kind, left, edit),
        };
        if met.is_some() {
            return met;
        }
    }
    None
}

fn walk_expr(expr: &mut Expr, kind: Nodes, left: &mut usize, edit: Edit) -> Option<bool> {
    if kind == Nodes::Exprs {
        if *left == 0 {
            return Some(edit_expr(expr, edit));
        }
        *left -= 1;
    }
    walk(&mut expr.pieces, kind, left, edit)
}

fn edit_expr(expr: &mut Expr, edit: Edit) -> bool {
    match edit {
        Edit::Constant(text) => {
            if expr.pieces.len() < 2 {
                return false;
            }
            expr.pieces = vec![Piece::Text(format!("({}){text}", expr.ty))];
            true
        }
        Edit::Child(n) => {
            let mut child = expr.pieces.iter().filter_map(|piece| match piece {
                Piece::Expr(child) if child.ty == expr.ty => Some(child.clone()),
                _ => None,
            });
            child.nth(n).is_some_and(|child| {
                *expr = child;
                true
            })
        }
        _ => false,
    }
}

fn walk_block(stmts: &mut Vec<Stmt>, kind: Nodes, left: &mut usize, edit: Edit) -> Option<bool> {
    for n in 0..stmts.len() {
        if kind == Nodes::Stmts {
            if *left == 0 {
                return Some(edit_stmt(stmts, n, edit));
            }
            *left -= 1;
        }
        if let Some(done) = walk(&mut stmts[n].pieces, kind, left, edit) {
            return Some(done);
        }
    }
    None
}

fn edit_stmt(stmts: &mut Vec<Stmt>, n: usize, edit: Edit) -> bool {
    match edit {
        Edit::Drop => {
            stmts.remove(n);
            true
        }
        Edit::Hoist => {
            let inner = stmts[n].pieces.iter().find_map(|piece| match piece {
                Piece::Block(inner) => Some(inner.clone()),
                _ => None,
            });
            inner.is_some_and(|inner| {
                stmts.splice(n..=n, inner);
                true
            })
        }
        _ => false,
    }
}
