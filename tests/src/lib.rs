//! The stack as applications meet it, layer by layer
