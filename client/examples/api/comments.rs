//! Comments: listed, and created.

use payout_client::{
    Client,
    types::{CommentVisibility, CreateCommentRequest},
};

use super::{Arguments, Outcome, exactly};

/// Lists a page of the comments about a partner: `list_comments <partner id>`.
pub(crate) async fn list_comments(client: Client, arguments: Arguments) -> Outcome {
    let [partner] = exactly(arguments, "list_comments <partner id>")?;
    let page = client.list_comments().partner_id(partner).limit(100).send().await?.into_inner();
    for comment in &page.data {
        let author = comment.author.as_ref().map_or("-", |author| &author.name);
        println!("{}  {:<8}  {author}: {}", comment.id, comment.visibility, comment.text);
    }
    if page.pagination.next_cursor.is_some() {
        println!("there are more");
    }
    Ok(())
}

/// Creates a comment that the partner reads: `create_comment <partner id> <text> [thread]`.
///
/// The third argument is a comment, whose thread the new one joins.
pub(crate) async fn create_comment(client: Client, mut arguments: Arguments) -> Outcome {
    let usage = "create_comment <partner id> <text> [thread]";
    let [partner, text] = exactly(&mut arguments, usage)?;
    let mut comment = CreateCommentRequest::builder(partner, text, CommentVisibility::Partner);
    if let Some(thread) = arguments.next() {
        comment = comment.thread_id(thread);
    }
    let comment = client.create_comment(comment).send().await?.into_inner().data;
    println!("{} in the thread {}", comment.id, comment.thread_id);
    Ok(())
}
