//! The immediates that have a text of their own: waits, messages, hardware registers, indexing, lane patterns, buffer
//! formats. Vega ISA, chapter 4, "Hardware registers", "Data share"; names are LLVM's.

use core::fmt::{self, Write};

use super::Line;

/// Fields of a wait: vector memory (in two parts), export, LDS and scalar memory.
const fn wait_counts(value: u32) -> [u32; 3] {
    [value & 15 | value >> 10 & 0x30, value >> 4 & 7, value >> 8 & 15]
}

/// Names of the messages, from 0.
const MESSAGES: [&str; 16] = [
    "",
    "MSG_INTERRUPT",
    "MSG_GS",
    "MSG_GS_DONE",
    "MSG_SAVEWAVE",
    "MSG_STALL_WAVE_GEN",
    "MSG_HALT_WAVES",
    "MSG_ORDERED_PS_DONE",
    "MSG_EARLY_PRIM_DEALLOC",
    "MSG_GS_ALLOC_REQ",
    "MSG_GET_DOORBELL",
    "",
    "",
    "",
    "",
    "MSG_SYSMSG",
];

const GS: u32 = 2;
const GS_DONE: u32 = 3;
const SYSMSG: u32 = 15;

/// Operations of the messages of geometry shaders, from 0.
const GS_OPERATIONS: [&str; 4] = ["GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"];

/// Operations of system messages, from 1.
const SYSTEM_OPERATIONS: [&str; 4] =
    ["SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD", "SYSMSG_OP_HOST_TRAP_ACK", "SYSMSG_OP_TTRACE_PC"];

/// Names of the hardware registers, by number.
const HARDWARE_REGISTERS: &[(u32, &str)] = &[
    (1, "HW_REG_MODE"),
    (2, "HW_REG_STATUS"),
    (3, "HW_REG_TRAPSTS"),
    (4, "HW_REG_HW_ID"),
    (5, "HW_REG_GPR_ALLOC"),
    (6, "HW_REG_LDS_ALLOC"),
    (7, "HW_REG_IB_STS"),
    (15, "HW_REG_SH_MEM_BASES"),
    (16, "HW_REG_TBA_LO"),
    (17, "HW_REG_TBA_HI"),
    (18, "HW_REG_TMA_LO"),
    (19, "HW_REG_TMA_HI"),
];

/// Those that generations with several dies in a package have besides.
const HARDWARE_REGISTERS_OF_DIES: &[(u32, &str)] = &[
    (20, "HW_REG_XCC_ID"),
    (21, "HW_REG_SQ_PERF_SNAPSHOT_DATA"),
    (22, "HW_REG_SQ_PERF_SNAPSHOT_DATA1"),
    (23, "HW_REG_SQ_PERF_SNAPSHOT_PC_LO"),
    (24, "HW_REG_SQ_PERF_SNAPSHOT_PC_HI"),
];

const DATA_FORMATS: [&str; 16] = [
    "INVALID",
    "8",
    "16",
    "8_8",
    "32",
    "16_16",
    "10_11_11",
    "11_11_10",
    "10_10_10_2",
    "2_10_10_10",
    "8_8_8_8",
    "32_32",
    "16_16_16_16",
    "32_32_32",
    "32_32_32_32",
    "RESERVED_15",
];

const NUMBER_FORMATS: [&str; 8] =
    ["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "RESERVED_6", "FLOAT"];

impl<W: Write> Line<'_, W> {
    /// `vmcnt(0) lgkmcnt(0)`: the counters that are waited for; all of them where none is.
    pub(super) fn waits(&mut self, value: u32) -> fmt::Result {
        let (counts, most) = (wait_counts(value), wait_counts(!0));
        let all = counts == most;
        let mut gap = "";
        for ((name, count), most) in ["vmcnt(", "expcnt(", "lgkmcnt("].into_iter().zip(counts).zip(most) {
            if all || count != most {
                self.put(gap)?;
                self.put(name)?;
                self.decimal(count)?;
                self.put(")")?;
                gap = " ";
            }
        }
        Ok(())
    }

    pub(super) fn message(&mut self, value: u32) -> fmt::Result {
        let (message, operation, stream) = (value & 15, value >> 4 & 7, value >> 8 & 3);
        let name = MESSAGES[message as usize];
        let operation_name = match (message, operation) {
            (GS, 1..=3) | (GS_DONE, 0..=3) => Some(GS_OPERATIONS[operation as usize]),
            // The third is of earlier generations.
            (SYSMSG, 1 | 2 | 4) => Some(SYSTEM_OPERATIONS[operation as usize - 1]),
            _ => None,
        };
        let has_stream = message != SYSMSG && operation != 0;
        let is_known = match operation_name {
            Some(_) => has_stream || stream == 0,
            None => !name.is_empty() && !matches!(message, GS | GS_DONE | SYSMSG) && operation | stream == 0,
        };
        if is_known {
            self.put("sendmsg(")?;
            self.put(name)?;
            if let Some(operation_name) = operation_name {
                self.put(", ")?;
                self.put(operation_name)?;
                if has_stream {
                    self.put(", ")?;
                    self.decimal(stream)?;
                }
            }
            return self.put(")");
        }
        if value >> 10 != 0 || value >> 7 & 1 != 0 {
            return self.decimal(value);
        }
        self.put("sendmsg(")?;
        self.decimal(message)?;
        self.put(", ")?;
        self.decimal(operation)?;
        self.put(", ")?;
        self.decimal(stream)?;
        self.put(")")
    }

    pub(super) fn hardware_register(&mut self, value: u32) -> fmt::Result {
        let (number, first, width) = (value & 63, value >> 6 & 31, (value >> 11 & 31) + 1);
        let more = if self.generation.has_sc_bits { HARDWARE_REGISTERS_OF_DIES } else { &[] };
        self.put("hwreg(")?;
        match HARDWARE_REGISTERS.iter().chain(more).find(|(n, _)| *n == number) {
            Some((_, name)) => self.put(name)?,
            None => self.decimal(number)?,
        }
        if (first, width) != (0, 32) {
            self.put(", ")?;
            self.decimal(first)?;
            self.put(", ")?;
            self.decimal(width)?;
        }
        self.put(")")
    }

    /// `gpr_idx(SRC0,DST)`.
    pub(super) fn indexing(&mut self, value: u32) -> fmt::Result {
        if value > 15 {
            return self.hex(value);
        }
        self.put("gpr_idx(")?;
        let mut gap = "";
        for (k, name) in ["SRC0", "SRC1", "SRC2", "DST"].into_iter().enumerate() {
            if value >> k & 1 != 0 {
                self.put(gap)?;
                self.put(name)?;
                gap = ",";
            }
        }
        self.put(")")
    }

    /// The offset of `ds_swizzle_b32`: which lane each lane reads.
    pub(super) fn swizzle(&mut self, value: u32) -> fmt::Result {
        if value == 0 {
            return Ok(());
        }
        self.put(" offset:")?;
        if value >> 8 == 0x80 {
            self.put("swizzle(QUAD_PERM")?;
            for k in 0..4 {
                self.put(",")?;
                self.decimal(value >> (2 * k) & 3)?;
            }
            return self.put(")");
        }
        if value >> 15 != 0 {
            return self.decimal(value);
        }
        let (and, or, xor) = (value & 31, value >> 5 & 31, value >> 10 & 31);
        let group = 32 - and;
        if and == 31 && or == 0 && xor.count_ones() == 1 {
            self.put("swizzle(SWAP,")?;
            self.decimal(xor)?;
        } else if and == 31 && or == 0 && xor != 0 && (xor + 1).is_power_of_two() {
            self.put("swizzle(REVERSE,")?;
            self.decimal(xor + 1)?;
        } else if group > 1 && group.is_power_of_two() && or < group && xor == 0 {
            self.put("swizzle(BROADCAST,")?;
            self.decimal(group)?;
            self.put(",")?;
            self.decimal(or)?;
        } else {
            self.put("swizzle(BITMASK_PERM,\"")?;
            let (zeros, ones) = (or ^ xor, (and | or) ^ xor);
            for k in (0..5).rev() {
                self.put(match (zeros >> k & 1, ones >> k & 1) {
                    (0, 0) => "0",
                    (1, 1) => "1",
                    (0, _) => "p",
                    _ => "i",
                })?;
            }
            self.put("\"")?;
        }
        self.put(")")
    }

    /// Data and number format of a typed buffer instruction.
    pub(super) fn buffer_format(&mut self, data: u8, number: u8) -> fmt::Result {
        if (data, number) == (1, 0) {
            return Ok(());
        }
        self.put(" format:[")?;
        if data != 1 {
            self.put("BUF_DATA_FORMAT_")?;
            self.put(DATA_FORMATS[usize::from(data & 15)])?;
            self.flag(number != 0, ",")?;
        }
        if number != 0 {
            self.put("BUF_NUM_FORMAT_")?;
            self.put(NUMBER_FORMATS[usize::from(number & 7)])?;
        }
        self.put("]")
    }
}
