//! Formats of images (`hsa_ext_image_format_t`): what is supported, and what the texture hardware of gfx9 calls it
//! (`IMG_DATA_FORMAT`, `IMG_NUM_FORMAT`, the selects of a descriptor).

/// `hsa_ext_image_channel_type_t` and `hsa_ext_image_channel_order_t`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageFormat {
    /// How a channel is stored.
    pub channel: u32,
    /// Which channels there are.
    pub order: u32,
}

/// How a program may use images of a format, a mask (`hsa_ext_image_capability_t`).
pub mod capability {
    /// Only read.
    pub const READ_ONLY: u32 = 1;
    /// Only written.
    pub const WRITE_ONLY: u32 = 2;
    /// Both.
    pub const READ_WRITE: u32 = 4;
}

/// What a number means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// From 0 to 1.
    Unorm,
    /// From -1 to 1.
    Snorm,
    Uint,
    Sint,
    Float,
}

/// A channel type.
pub(crate) struct Channel {
    pub(crate) meaning: Meaning,
    /// Bits of each channel in the order in which they lie, from the lowest up, when all share a word; else empty.
    pub(crate) packed: &'static [u32],
    /// Bytes of a channel; of all of them, when packed.
    pub(crate) bytes: u32,
}

const fn plain(meaning: Meaning, bytes: u32) -> Channel {
    Channel { meaning, packed: &[], bytes }
}

use Meaning::{Float, Sint, Snorm, Uint, Unorm};

/// By `hsa_ext_image_channel_type_t`. A type of 24 bits is in the list, and no hardware has it.
const CHANNELS: &[Option<Channel>] = &[
    Some(plain(Snorm, 1)),
    Some(plain(Snorm, 2)),
    Some(plain(Unorm, 1)),
    Some(plain(Unorm, 2)),
    None,
    Some(Channel { meaning: Unorm, packed: &[5, 5, 5], bytes: 2 }),
    Some(Channel { meaning: Unorm, packed: &[5, 6, 5], bytes: 2 }),
    Some(Channel { meaning: Unorm, packed: &[10, 10, 10], bytes: 4 }),
    Some(plain(Sint, 1)),
    Some(plain(Sint, 2)),
    Some(plain(Sint, 4)),
    Some(plain(Uint, 1)),
    Some(plain(Uint, 2)),
    Some(plain(Uint, 4)),
    Some(plain(Float, 2)),
    Some(plain(Float, 4)),
];

const UNORM_INT8: u32 = 2;
const UNORM_INT16: u32 = 3;
const UNORM_555: u32 = 5;
const UNORM_565: u32 = 6;
const FLOAT: u32 = 15;

/// A channel order.
pub(crate) struct Order {
    number: u32,
    /// Of red, green, blue and alpha (0 to 3), those that lie in memory, lowest first.
    pub(crate) stored: &'static [usize],
    /// What a read gives: `DST_SEL`, a digit each for red to alpha (octal, lowest first): 0 and 1 are constants, 4 is the
    /// first channel that is stored.
    select: u32,
    /// `BC_SWIZZLE`, which brings the colour of borders into that order.
    border: u32,
    /// Only whole bytes go with it, or anything but packed types.
    bytes_only: bool,
    /// Only normalised and floating-point numbers.
    no_integers: bool,
}

const fn order(number: u32, stored: &'static [usize], select: u32, border: u32) -> Order {
    Order { number, stored, select, border, bytes_only: false, no_integers: false }
}
const DEPTH: u32 = 18;
const SRGBA: u32 = 14;
const RGB: u32 = 6;

#[rustfmt::skip]
const ORDERS: &[Order] = &[
    order(0, &[3], 0o4000, 3),
    order(1, &[0], 0o1004, 1),
    order(3, &[0, 1], 0o1054, 0),
    order(5, &[0, 3], 0o5004, 1),
    order(8, &[0, 1, 2, 3], 0o7654, 0),
    Order { bytes_only: true, ..order(9, &[2, 1, 0, 3], 0o7456, 4) },
    Order { bytes_only: true, ..order(10, &[3, 0, 1, 2], 0o4765, 3) },
    Order { no_integers: true, ..order(16, &[0], 0o4444, 0) },
    Order { no_integers: true, ..order(17, &[0], 0o1444, 1) },
    order(RGB, &[2, 1, 0], 0o1456, 4),
    order(SRGBA, &[0, 1, 2, 3], 0o7654, 0),
    order(DEPTH, &[0], 0o0004, 1),
];

/// A format that hardware has.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub(crate) channel: &'static Channel,
    pub(crate) order: &'static Order,
    pub(crate) srgb: bool,
    /// Bytes of an element.
    pub(crate) bytes: u32,
    /// `IMG_DATA_FORMAT`, `IMG_NUM_FORMAT`
    pub(crate) data_format: u32,
    pub(crate) number_format: u32,
    /// `DST_SEL_X` to `_W`, 12 bits.
    pub(crate) select: u32,
    /// `BC_SWIZZLE`
    pub(crate) border: u32,
}

/// Whether a geometry is one of depth images, and whether it is a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) depth: bool,
    pub(crate) buffer: bool,
}

impl ImageFormat {
    /// What the hardware calls it, and how it may be used in images of a kind; `None` when not at all.
    pub(crate) fn known(self, of: Use) -> Option<(Known, u32)> {
        use capability::{READ_ONLY, READ_WRITE, WRITE_ONLY};
        let channel = CHANNELS.get(self.channel as usize)?.as_ref()?;
        let order = ORDERS.iter().find(|order| order.number == self.order)?;
        let packed = !channel.packed.is_empty();
        let integers = matches!(channel.meaning, Uint | Sint);
        let whole = READ_ONLY | WRITE_ONLY | READ_WRITE;
        let capability = match order.number {
            DEPTH if [UNORM_INT16, FLOAT].contains(&self.channel) => READ_ONLY | WRITE_ONLY,
            SRGBA if self.channel == UNORM_INT8 && !of.buffer => READ_ONLY,
            RGB if packed => whole,
            DEPTH | SRGBA | RGB => return None,
            _ if packed || order.bytes_only && channel.bytes != 1 || order.no_integers && integers => {
                return None;
            }
            _ => whole,
        };
        // Buffers have no formats of 16 bits in parts; depth images have nothing but depth.
        let short = [UNORM_555, UNORM_565].contains(&self.channel);
        if of.buffer && short || of.depth && order.number != DEPTH {
            return None;
        }
        let bytes = if packed { channel.bytes } else { channel.bytes * order.stored.len() as u32 };
        let data_format = match (channel.packed, channel.bytes, order.stored.len()) {
            ([5, 5, 5], ..) => 17,
            ([5, 6, 5], ..) => 16,
            ([10, 10, 10], ..) => 9,
            (_, 1, 1) => 1,
            (_, 2, 1) => 2,
            (_, 1, 2) => 3,
            (_, 4, 1) => 4,
            (_, 2, 2) => 5,
            (_, 1, 4) => 10,
            (_, 4, 2) => 11,
            (_, 2, 4) => 12,
            (_, 4, 4) => 14,
            _ => return None,
        };
        const SRGB: u32 = 9;
        let number_format = match channel.meaning {
            _ if order.number == SRGBA => SRGB,
            Unorm => 0,
            Snorm => 1,
            Uint => 4,
            Sint => 5,
            Float => 7,
        };
        let (srgb, select, border) = (order.number == SRGBA, order.select, order.border);
        Some((Known { channel, order, srgb, bytes, data_format, number_format, select, border }, capability))
    }
}
