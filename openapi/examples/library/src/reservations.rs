//! Handlers of reservations: readers who wait for a book.

use crate::{
    App, Caller,
    contract::{Problem, traits::ReservationsApi, types::CancelReservationReply},
};

impl ReservationsApi for App {
    async fn cancel_reservation(
        &self,
        _caller: Caller,
        reservation: i64,
    ) -> Result<CancelReservationReply, Problem> {
        Ok(match self.library().reservations.remove(&reservation) {
            Some(_) => CancelReservationReply::NoContent,
            None => CancelReservationReply::NotFound,
        })
    }
}
