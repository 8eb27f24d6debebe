//! Handlers of readers, who may take books home.

use crate::{
    App, Caller,
    contract::{
        Problem,
        traits::ReadersApi,
        types::{
            CardNumber, Member, Picture, ReaderAccount, ReplacePictureRequest,
            ReplacePreferencesRequest,
        },
    },
    library::{not_found, number, unknown},
};

impl ReadersApi for App {
    async fn add_reader(&self, _caller: Caller, body: Member) -> Result<ReaderAccount, Problem> {
        let mut library = self.library();
        if let Member::Child(child) = &body {
            let guardian = library.readers.get(&child.guardian);
            if !guardian.is_some_and(|reader| matches!(reader.member, Member::Adult(_))) {
                return Err(unknown("/guardian", "adult"));
            }
        }
        let card = CardNumber::new(format!("R{:04}", library.next_number()));
        let reader = ReaderAccount { card: card.clone(), member: body, preferences: None };
        library.readers.insert(card, reader.clone());
        Ok(reader)
    }

    async fn get_reader(
        &self,
        _caller: Caller,
        card: CardNumber,
    ) -> Result<ReaderAccount, Problem> {
        self.library().readers.get(&card).cloned().ok_or_else(|| not_found("reader"))
    }

    async fn replace_preferences(
        &self,
        _caller: Caller,
        card: CardNumber,
        body: ReplacePreferencesRequest,
    ) -> Result<(), Problem> {
        let mut library = self.library();
        let reader = library.readers.get_mut(&card).ok_or_else(|| not_found("reader"))?;
        reader.preferences = Some(body.0.into());
        Ok(())
    }

    async fn replace_picture(
        &self,
        _caller: Caller,
        card: CardNumber,
        body: ReplacePictureRequest,
    ) -> Result<Picture, Problem> {
        let mut library = self.library();
        if !library.readers.contains_key(&card) {
            return Err(not_found("reader"));
        }
        let ReplacePictureRequest { picture, caption, frame } = body;
        let kept = Picture {
            media_type: picture.content_type.clone().unwrap_or_default(),
            bytes: number(picture.bytes.len()),
            caption: caption.map(|caption| caption.into_string()),
            frame,
        };
        library.pictures.insert(card, picture);
        Ok(kept)
    }
}
