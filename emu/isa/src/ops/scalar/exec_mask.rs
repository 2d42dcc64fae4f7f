//! Instructions that change `EXEC` and keep or return it. Vega ISA, "Access to EXEC".

use crate::scalar_ops;

/// `D` = old `EXEC`; `EXEC` = a function of `S0` and it; `SCC` = not zero.
macro_rules! saveexec {
    ($($name:ident $text:literal: $doc:literal |$a:ident, $exec:ident| $body:expr;)*) => {
        scalar_ops! {$(
            #[doc = $doc]
            #[doc = "`D` = the old `EXEC`, `SCC` = the new one is not zero."]
            $name $text: B64 <- |w, _i| ($a: B64) [scc] = {
                let $exec = w.exec();
                let new = $body;
                w.set_exec(new);
                ($exec, new != 0)
            };
        )*}
    };
}

saveexec! {
    S_AND_SAVEEXEC_B64 "s_and_saveexec_b64": "`EXEC = S0 & EXEC`." |a, exec| a & exec;
    S_OR_SAVEEXEC_B64 "s_or_saveexec_b64": "`EXEC = S0 | EXEC`." |a, exec| a | exec;
    S_XOR_SAVEEXEC_B64 "s_xor_saveexec_b64": "`EXEC = S0 ^ EXEC`." |a, exec| a ^ exec;
    S_ANDN2_SAVEEXEC_B64 "s_andn2_saveexec_b64": "`EXEC = S0 & !EXEC`." |a, exec| a & !exec;
    S_ORN2_SAVEEXEC_B64 "s_orn2_saveexec_b64": "`EXEC = S0 | !EXEC`." |a, exec| a | !exec;
    S_NAND_SAVEEXEC_B64 "s_nand_saveexec_b64": "`EXEC = !(S0 & EXEC)`." |a, exec| !(a & exec);
    S_NOR_SAVEEXEC_B64 "s_nor_saveexec_b64": "`EXEC = !(S0 | EXEC)`." |a, exec| !(a | exec);
    S_XNOR_SAVEEXEC_B64 "s_xnor_saveexec_b64": "`EXEC = !(S0 ^ EXEC)`." |a, exec| !(a ^ exec);
    S_ANDN1_SAVEEXEC_B64 "s_andn1_saveexec_b64": "`EXEC = !S0 & EXEC`." |a, exec| !a & exec;
    S_ORN1_SAVEEXEC_B64 "s_orn1_saveexec_b64": "`EXEC = !S0 | EXEC`." |a, exec| !a | exec;
}

scalar_ops! {
    /// `D = EXEC = !S0 & EXEC`, `SCC` = not zero.
    S_ANDN1_WREXEC_B64 "s_andn1_wrexec_b64": B64 <- |w, _i| (a: B64) [scc] = {
        let new = !a & w.exec();
        w.set_exec(new);
        (new, new != 0)
    };
    /// `D = EXEC = S0 & !EXEC`, `SCC` = not zero.
    S_ANDN2_WREXEC_B64 "s_andn2_wrexec_b64": B64 <- |w, _i| (a: B64) [scc] = {
        let new = a & !w.exec();
        w.set_exec(new);
        (new, new != 0)
    };
}
