//! The two states of an executable: before `freeze` it is filled, after it symbols are asked for and kernels run.

use super::{Executable, State};
use crate::Error;

impl Executable {
    /// Ends loading.
    pub fn freeze(&self) -> Result<(), Error> {
        let mut state = self.state.lock();
        state.check_not_frozen("freezing it again")?;
        state.frozen = true;
        Ok(())
    }

    /// Whether loading has ended.
    pub fn is_frozen(&self) -> bool {
        self.state.lock().frozen
    }
}

impl State {
    pub(super) fn check_not_frozen(&self, what: &'static str) -> Result<(), Error> {
        if self.frozen { Err(Error::ExecutableState { state: "frozen", why: what }) } else { Ok(()) }
    }
}
