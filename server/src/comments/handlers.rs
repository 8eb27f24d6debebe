//! The operations of the tag `comments`: contract types in, contract types out.

use openapi_runtime::Timestamp;

use super::{
    model::{self, CommentFilters},
    store::CreateComment,
};
use crate::{
    contract::{
        Operation,
        traits::{Api, CommentsApi},
        types::{
            Comment, CommentEnvelope, CommentList, CommentSource, CommentVisibility,
            CreateCommentRequest, ListCommentsQuery,
        },
    },
    gate::Caller,
    id::IdKind,
    organizations::person,
    page::Page,
    postgres::Tenants,
    problem::Failure,
};

pub struct Comments {
    pub(crate) tenants: Tenants,
}

impl<A> CommentsApi for A
where
    A: Api<Caller = Caller, Failure = Failure> + AsRef<Comments>,
{
    async fn list_comments(
        &self,
        caller: Caller,
        query: ListCommentsQuery,
    ) -> Result<CommentList, Failure> {
        let filters = query.filters();
        let page = Page::of(Operation::ListComments, &filters, query.limit, query.cursor);
        let filters = CommentFilters {
            partner_id: query.partner_id.as_ref().map(|id| id.as_str()),
            payout_id: query.payout_id.as_ref().map(|id| id.as_str()),
            commission_line_id: query.commission_line_id.as_ref().map(|id| id.as_str()),
            thread_id: query.thread_id.as_ref().map(|id| id.as_str()),
            visibility: query.visibility.map(|visibility| visibility.as_str()),
        };
        let list = page.list(&caller.organization, filters);
        let comments = self.as_ref().tenants.list(&list).await?;
        let (comments, pagination) =
            page.cut(comments, |comment| (comment.created_at, &comment.id));
        let data = comments.into_iter().map(to_contract).collect::<Result<_, _>>()?;
        Ok(CommentList { data, pagination })
    }

    async fn create_comment(
        &self,
        caller: Caller,
        body: CreateCommentRequest,
    ) -> Result<CommentEnvelope, Failure> {
        let id = IdKind::Comment.generate();
        let create = CreateComment {
            caller: &caller,
            id: &id,
            partner_id: body.partner_id.as_str(),
            payout_id: body.payout_id.as_ref().map(|id| id.as_str()),
            commission_line_id: body.commission_line_id.as_ref().map(|id| id.as_str()),
            thread_id: body.thread_id.as_ref().map(|id| id.as_str()),
            text: body.text.as_str(),
            visibility: body.visibility.as_str(),
            author_email: body.author_email.as_ref().map(|email| email.as_str()),
        };
        let attempt = caller.run(&self.as_ref().tenants, &create).await?;
        let (Some(created_at), Some(thread_id)) = (attempt.created_at, &attempt.thread_id) else {
            return Err(attempt.rejection());
        };
        Ok(CommentEnvelope {
            data: Comment {
                thread_id: thread_id.clone().into(),
                partner_id: body.partner_id,
                payout_id: attempt.payout_id.map(Into::into).into(),
                commission_line_id: attempt.commission_line_id.map(Into::into).into(),
                text: body.text.into_string(),
                visibility: body.visibility,
                source: CommentSource::new("API"),
                author: person(attempt.author_id, attempt.author_name, attempt.author_email).into(),
                created_at: Timestamp::new(created_at),
                id: id.into(),
            },
        })
    }
}

fn to_contract(comment: model::Comment) -> Result<Comment, Failure> {
    Ok(Comment {
        id: comment.id.into(),
        partner_id: comment.partner_id.into(),
        payout_id: comment.payout_id.map(Into::into).into(),
        commission_line_id: comment.commission_line_id.map(Into::into).into(),
        thread_id: comment.thread_id.into(),
        text: comment.text,
        visibility: CommentVisibility::parse(&comment.visibility)?,
        source: CommentSource::new(comment.source),
        author: person(comment.author_id, comment.author_name, comment.author_email).into(),
        created_at: Timestamp::new(comment.created_at),
    })
}
