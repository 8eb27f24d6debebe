//! Every mutant, in the order of its number: name, the clause that it breaks (§ of the specification, or id of a decision),
//! and what is broken.
//!
//! It refuses to be renumbered: tables of killed mutants name these numbers. A new one comes last.

/// Defines the mutants: number, variant, name, clause, sentence.
macro_rules! mutants {
    ($($id:ident $variant:ident $name:literal $clause:literal $sentence:literal;)+) => {
        /// One seeded fault.
        #[cfg_attr(not(feature = "mutants"), allow(dead_code, reason = "some are asked for by the feature alone"))]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Mutant {
            $(#[doc = $sentence] $variant,)+
        }

        #[cfg(any(test, feature = "mutants"))]
        impl Mutant {
            /// All of them, by number.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// What there is to say of it.
            pub(crate) const fn info(self) -> Info {
                match self {
                    $(Self::$variant => Info {
                        id: stringify!($id),
                        name: $name,
                        clause: $clause,
                        sentence: $sentence,
                    },)+
                }
            }
        }
    };
}

/// What there is to say of a mutant.
#[cfg(any(test, feature = "mutants"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Info {
    /// Its number, such as `M07`, by which `MUTANT` selects it.
    pub(crate) id: &'static str,
    /// Its name in short.
    pub(crate) name: &'static str,
    /// The clause that it breaks, such as `§4.5` or `R9`.
    pub(crate) clause: &'static str,
    /// What is broken.
    pub(crate) sentence: &'static str,
}

mutants! {
    M01 KeyFromQuery "key-from-query" "§5.2"
        "The key is also taken from a query parameter such as `x-api-key`.";
    M02 MissingKey403 "missing-key-403" "§5.4"
        "A request without a key is answered 403.";
    M03 UnknownKey404 "unknown-key-404" "§5.4"
        "A key that was never valid is answered 404.";
    M04 RevokedKeyLives "revoked-key-lives" "§5.4"
        "A revoked key is accepted for 30 more seconds.";
    M05 ExpiredKeyAccepted "expired-key-accepted" "§5.4"
        "A key is accepted after its life has ended.";
    M06 LastCharacterIgnored "last-character-ignored" "§5.4"
        "The last character of a key is not compared.";
    M07 RepeatedKeyAccepted "repeated-key-accepted" "A3"
        "Of two headers `x-api-key` the first one counts.";
    M08 MissingScope401 "missing-scope-401" "§5.5"
        "A valid key without the scope is answered 401.";
    M09 GetPartnerNeedsNoScope "get-partner-needs-no-scope" "§4.2"
        "Any valid key may get a partner.";
    M10 PatchNeedsOnlyRead "patch-needs-only-read" "§4.3"
        "`partners:read` is enough to update a partner.";
    M11 StatementNeedsOnlyRead "statement-needs-only-read" "§4.7"
        "`commissions:read` is enough to generate a statement.";
    M12 DetachNeedsOnlyRead "detach-needs-only-read" "§4.5"
        "`commissions:read` is enough to detach a line.";
    M13 ListLinesNeedsWrite "list-lines-needs-write" "§4.4"
        "Listing lines demands `commissions:write`.";
    M14 PartnersWriteMayList "partners-write-may-list" "§4.1"
        "`partners:write` is enough to list partners.";
    M15 AffiliateMayReadPayouts "affiliate-may-read-payouts" "§4.6"
        "`affiliate:write` is enough to get a payout.";
    M16 PartnerByIdUnscoped "partner-by-id-unscoped" "§4.2"
        "A partner is found by its service id in every organisation.";
    M17 PartnerByExternalIdUnscoped "partner-by-external-id-unscoped" "§4.2"
        "A partner is found by its `externalId` in every organisation.";
    M18 ForeignStatement403 "foreign-statement-403" "§4.7"
        "The statement of a foreign payout is answered 403, and so tells that the payout exists.";
    M19 ForeignDetachWorks "foreign-detach-works" "§5.3"
        "A line of another organisation is detached.";
    M20 SecondPageUnscoped "second-page-unscoped" "§5.3"
        "Every page but the first shows rows of all organisations.";
    M21 PartnerFilterUnscoped "partner-filter-unscoped" "R10"
        "The filter `partnerId` shows lines of a foreign partner.";
    M22 ForeignPayout200 "foreign-payout-200" "§5.3"
        "A payout of another organisation is shown.";
    M23 Limit101Accepted "limit-101-accepted" "§8"
        "`limit=101` is accepted, and gives 101 items.";
    M24 LimitZeroIsAll "limit-zero-is-all" "§8"
        "`limit=0` gives the whole list.";
    M25 DefaultLimit20 "default-limit-20" "§4.4"
        "Without `limit` a page holds 20 items.";
    M26 NextCursorMissing "next-cursor-missing" "§2.5"
        "The last page has no `nextCursor` instead of null.";
    M27 NextCursorAtExactMultiple "next-cursor-at-exact-multiple" "§2.5"
        "A last page that is full has a `nextCursor`, which leads to an empty page.";
    M28 ItemRepeated "item-repeated" "R8"
        "A page begins with the last item of the page before it.";
    M29 FiltersJoinedByOr "filters-joined-by-or" "§4.4"
        "Two filters show the lines of which one holds.";
    M30 UnknownStatusIgnored "unknown-status-ignored" "§4.4"
        "A `status` outside its set is ignored.";
    M31 CursorWithOtherFilters "cursor-with-other-filters" "R8"
        "A cursor is accepted with other filters.";
    M32 AmountANumber "amount-anumber" "§2.2"
        "A line's `amount` is a JSON number.";
    M33 AmountWithOneDigit "amount-with-one-digit" "§2.2"
        "An amount that ends in 0 loses that digit: `\"12.5\"`.";
    M34 AmountThroughFloat "amount-through-float" "V3"
        "Amounts go through a binary float: `90071992547409.93` becomes `.94`.";
    M35 NoMilliseconds "no-milliseconds" "§2.1"
        "Times have no milliseconds.";
    M36 OffsetTime "offset-time" "§2.1"
        "Times are written with the offset `+01:00`.";
    M37 ListItemWithIdempotencyKey "list-item-with-idempotency-key" "§2.2"
        "A line in a list has `idempotencyKey`.";
    M38 DetachWithoutIdempotencyKey "detach-without-idempotency-key" "§2.2"
        "The answer of a detach lacks `idempotencyKey`.";
    M39 NullPayoutIdOmitted "null-payout-id-omitted" "§2.2"
        "`payoutId` is left out where it is null.";
    M40 NoDataEnvelope "no-data-envelope" "§2.5"
        "A single resource is answered without `data` around it.";
    M41 SixthStatementField "sixth-statement-field" "§2.4"
        "The statement result has a sixth field.";
    M42 ExtraErrorField "extra-error-field" "§7"
        "The error object has a fourth field.";
    M43 PlainText404 "plain-text-404" "§4"
        "The 404 of a resource is text/plain.";
    M44 ExternalIdIgnored "external-id-ignored" "§4.2"
        "GET finds a partner by its service id alone.";
    M45 NameLimitInBytes "name-limit-in-bytes" "R3"
        "The 200 of a name's length count bytes.";
    M46 Name201Accepted "name-201-accepted" "§4.3"
        "A name of 201 characters is accepted, and cut.";
    M47 DomainNullIgnored "domain-null-ignored" "§4.3"
        "`domain: null` keeps the domain.";
    M48 OmittedFieldsReset "omitted-fields-reset" "R2"
        "A PATCH clears the assignments that its body does not name.";
    M49 PortalAccessAloneMoves "portal-access-alone-moves" "R2"
        "`portalAccess` without a template moves `updatedAt`.";
    M50 OldPartnerAnswered "old-partner-answered" "§4.3"
        "A PATCH answers the partner as it was before.";
    M51 UpdatedAtKept "updated-at-kept" "§2.1"
        "A change does not move the partner's `updatedAt`.";
    M52 DetachOfUnattached200 "detach-of-unattached-200" "§4.5"
        "Detaching a line that is in no payout is answered 200.";
    M53 DetachNotStored "detach-not-stored" "§3.1"
        "A detach is answered right, and the line stays `IN_PAYOUT`.";
    M54 ConcurrentDetachesSucceed "concurrent-detaches-succeed" "§3.1"
        "Of two detaches at once both are answered 200.";
    M55 PayoutIdKept "payout-id-kept" "§4.5"
        "The answer of a detach still names the payout.";
    M56 PayoutAmountKept "payout-amount-kept" "V4"
        "A detach leaves the payout's amount as it was.";
    M57 NewAssetEachCall "new-asset-each-call" "§4.7"
        "Every call makes a new document.";
    M58 NoteIgnored "note-ignored" "§4.7"
        "Another statement note rebuilds nothing.";
    M59 PoNumberIgnored "po-number-ignored" "§4.7"
        "Another PO number rebuilds nothing.";
    M60 OtherBytes "other-bytes" "§4.7"
        "One asset has other bytes at each download.";
    M61 RenameRebuilds "rename-rebuilds" "§4.7"
        "A partner's new name rebuilds its statements.";
    M62 UploadRerendered "upload-rerendered" "§4.7"
        "A statement is rendered where a person has uploaded one.";
    M63 EmptyPayout200 "empty-payout-200" "§4.7"
        "A payout without lines gets a statement.";
    M64 BillingIncomplete200 "billing-incomplete-200" "§4.7"
        "Incomplete billing information is no obstacle.";
    M65 StageMoved "stage-moved" "§3.2"
        "Generating a statement changes the payout's stage.";
    M66 LinkOutlivesExpiry "link-outlives-expiry" "§2.4"
        "A link works after its `expiresAt`.";
    M67 LinkNeedsKey "link-needs-key" "S9"
        "A link answers only whoever sends an API key.";
    M68 RetryAfterOn429 "retry-after-on-429" "§8"
        "A 429 carries `retry-after`.";
    M69 NoRetryAfterOn402 "no-retry-after-on-402" "§8"
        "A 402 lacks `retry-after`.";
    M70 CreditHeadersOn401 "credit-headers-on-401" "§8"
        "A 401 carries credit headers.";
    M71 CreditsBeforeRequest "credits-before-request" "§8"
        "The remaining credits are those before the request.";
    M72 CreditsLeftOn402 "credits-left-on-402" "§8"
        "A 402 says that a credit remains.";
    M73 RateLimitedCharged "rate-limited-charged" "A7"
        "A 429 costs a credit.";
    M74 ForbiddenCharged "forbidden-charged" "A7"
        "A 403 costs a credit.";
    M75 MonthInLocalTime "month-in-local-time" "A6"
        "Credits reset at midnight of a time zone five hours behind UTC.";
    M76 CreditsOverspent "credits-overspent" "A8"
        "Requests at once share the last credit.";
    M77 RateNotEnforced "rate-not-enforced" "§8"
        "Requests above the minute's limit are answered.";
    M78 RateHeadersMissingOnErrors "rate-headers-missing-on-errors" "§8"
        "Errors lack the rate headers.";
    M79 HeadAnswered "head-answered" "R5"
        "HEAD is answered as GET is.";
    M80 AllowMissing "allow-missing" "R5"
        "A 405 lacks `Allow`.";
    M81 RequestIdReplaced "request-id-replaced" "R13"
        "A well-formed `x-request-id` is replaced.";
    M82 VersionIgnored "version-ignored" "R12"
        "An unknown `api-version` is accepted.";
    M83 CursorOfAnotherList "cursor-of-another-list" "R8"
        "A cursor of another list is accepted.";
    M84 RepeatedParameterIgnored "repeated-parameter-ignored" "R9"
        "Of a repeated query parameter the first one counts.";
    M85 UnknownParameterIgnored "unknown-parameter-ignored" "R9"
        "An unknown query parameter is ignored.";
    M86 LimitWithLeadingZero "limit-with-leading-zero" "R6"
        "`limit=05` is read as 5.";
    M87 UnknownFieldIgnored "unknown-field-ignored" "R2"
        "An unknown field of a PATCH is ignored.";
    M88 FirstReferenceOnly "first-reference-only" "R2"
        "Of several unknown references only the first is told.";
    M89 FirstViolationOnly "first-violation-only" "R4"
        "Of several violations only the first is told.";
    M90 EqualPatchMoves "equal-patch-moves" "R2"
        "A PATCH that changes nothing moves `updatedAt`.";
    M91 PatchByExternalId404 "patch-by-external-id-404" "R1"
        "PATCH finds a partner by its service id alone.";
    M92 NumberTakenForText "number-taken-for-text" "R3"
        "A number or a boolean is taken for a text.";
    M93 DuplicateKeyAccepted "duplicate-key-accepted" "R4"
        "Of a key that stands twice in a body the last one counts.";
    M94 EmptyDomainAccepted "empty-domain-accepted" "§4.3"
        "An empty domain is accepted, and clears it.";
    M95 ContentTypeIgnored "content-type-ignored" "R4"
        "A body is read as JSON, whatever it is declared as.";
    M96 LargeBodyAccepted "large-body-accepted" "R4"
        "A body above 64 KiB is accepted.";
    M97 DetachBodyRefused "detach-body-refused" "R11"
        "A body where none is due is answered 400.";
    M98 OldestFirst "oldest-first" "R7"
        "Each page is in ascending order.";
    M99 ForeignIdTold "foreign-id-told" "A10"
        "The 404 of a foreign payout has another message than that of an absent one.";
    M100 FormBeforeKey "form-before-key" "§5.4"
        "A broken request without a valid key is answered for its form.";
    M101 FormErrorCharged "form-error-charged" "A7"
        "An error of the form costs a credit.";
    M102 NotFoundGivenBack "not-found-given-back" "A7"
        "A 404 gives its credit back.";
    M103 RateRemainingAboveLimit "rate-remaining-above-limit" "§8"
        "The requests that remain are more than the limit.";
    M104 KeyInDetails "key-in-details" "§5.1"
        "The details of a 401 repeat the key.";
    M105 PlainTextUnknownPath "plain-text-unknown-path" "§4"
        "The 404 of an unknown path is text/plain.";
    M106 UploadNotTold "upload-not-told" "§4.7"
        "`isUploaded` is false of an uploaded PDF.";
    M107 UploadAltered "upload-altered" "§4.7"
        "An uploaded PDF is downloaded with a line added.";
    M108 ExpiredLink404 "expired-link-404" "S9"
        "A link whose time is over is answered 404.";
    M109 AlteredLinkAccepted "altered-link-accepted" "S9"
        "A link's signature is not compared.";
    M110 FilenameWithoutMonth "filename-without-month" "S10"
        "A statement's name lacks the month.";
    M111 DownloadInline "download-inline" "S9"
        "A PDF is sent to be shown, not to be saved.";
    M112 CrmOverlayReversed "crm-overlay-reversed" "V9"
        "In `crmProperties` the company's value wins.";
    M113 EmptyCategoriesNull "empty-categories-null" "V5"
        "A partner without categories has null instead of `[]`.";
    M114 NullDomainOmitted "null-domain-omitted" "V5"
        "`domain` is left out where it is null.";
    M115 ManagerEmailWithheld "manager-email-withheld" "V8"
        "`managerEmail` is null although there is a manager.";
    M116 MalformedCursorIgnored "malformed-cursor-ignored" "R8"
        "A malformed cursor gives the first page.";
    M117 PayoutFilterIgnored "payout-filter-ignored" "§4.4"
        "The filter `payoutId` is ignored.";
    M118 Limit100Refused "limit-100-refused" "§8"
        "`limit=100` is refused.";
    M119 LimitCapped "limit-capped" "§8"
        "A limit above 100 is read as 100.";
    M120 NameOf200Refused "name-of-200-refused" "§4.3"
        "A name of 200 characters is refused.";
    M121 Domain256Accepted "domain-256-accepted" "§4.3"
        "A domain of 256 characters is accepted, and cut.";
    M122 NullTakenForAbsent "null-taken-for-absent" "R2"
        "`null` keeps a field that cannot be cleared, instead of being refused.";
    M123 PortalAccessUnchecked "portal-access-unchecked" "§4.3"
        "A `portalAccess` outside its set is ignored.";
    M124 OwnerIgnored "owner-ignored" "§4.3"
        "`partnerOwnerId` assigns nobody.";
    M125 NulBreaks "nul-breaks" "R3"
        "U+0000 in a body is answered 500.";
    M126 BrokenJson422 "broken-json-422" "R4"
        "A body that is no JSON is answered 422.";
    M127 TrailingSlashAccepted "trailing-slash-accepted" "R5"
        "A path with a slash behind it is the path without.";
    M128 ErrorMessageMissing "error-message-missing" "§7"
        "The error object lacks `message`.";
    M129 CurrencyLowerCase "currency-lower-case" "V4"
        "Currencies are written in small letters.";
    M130 VoidedHidden "voided-hidden" "§4.4"
        "Without `status` the list leaves out voided lines.";
    M131 RateRemainingFrozen "rate-remaining-frozen" "§8"
        "The requests that remain never become fewer.";
    M132 CreditHeadersOfUnlimited "credit-headers-of-unlimited" "§8"
        "An organisation without an allowance gets credit headers.";
    M133 CreditHeadersMissingOn404 "credit-headers-missing-on-404" "A9"
        "A metered 404 lacks the credit headers.";
    M134 RetryAfterInMinutes "retry-after-in-minutes" "§8"
        "`retry-after` counts minutes.";
    M135 RequestIdMissingOnErrors "request-id-missing-on-errors" "R13"
        "Errors lack `x-request-id`.";
    M136 TiesLostBetweenPages "ties-lost-between-pages" "§2.5"
        "Where a page ends between items of one `createdAt`, the next one leaves out the rest of them.";
    M137 TiesOldestFirst "ties-oldest-first" "R7"
        "Within a page, items of one `createdAt` are in ascending order of their ids.";
    M138 ListedByUpdatedAt "listed-by-updated-at" "R7"
        "Within a page, what was changed last comes first.";
    M139 StatementGivenBack "statement-given-back" "A6"
        "The credit of a statement is given back after the answer has told that it is gone.";
    M140 FormBeforeScope "form-before-scope" "§5.5"
        "The form is looked at before the scope.";
    M141 SchemeTakenOff "scheme-taken-off" "§5.1"
        "A key behind `Bearer ` is taken for the key.";
    M142 OtherEnvironmentLetIn "other-environment-let-in" "A1"
        "What a key begins with, and with it its environment, is not looked at.";
    M143 OtherIdStale "other-id-stale" "R1"
        "A partner is kept under the id that it was asked by, and a PATCH by its other id does not drop it.";
    M144 NulInIdBreaks "nul-in-id-breaks" "R3"
        "An id with U+0000 in it comes to the database, which has no such text: 500.";
    M145 BillingBeforeLines "billing-before-lines" "S1"
        "Of a payout without lines it is told that billing information is incomplete.";
    M146 BillingBeforeUpload "billing-before-upload" "S1"
        "An uploaded PDF is withheld where billing information is incomplete.";
    M147 NegativeStatementRefused "negative-statement-refused" "§4.7"
        "A payout below zero has no statement: 422.";
    M148 LinkEndsEarly "link-ends-early" "§2.4"
        "`expiresAt` is an hour after the link's end.";
    M149 NullIdempotencyKeyOmitted "null-idempotency-key-omitted" "§2.2"
        "The answer of a detach leaves `idempotencyKey` out where it is null.";
    M150 MinusNotPrinted "minus-not-printed" "S2"
        "The PDF has amounts below zero without their sign.";
    M151 LinkOutlivesBySecond "link-outlives-by-second" "§2.4"
        "A link works for a second after its `expiresAt`.";
    M152 SuffixRangeFromStart "suffix-range-from-start" "S9"
        "The range `bytes=-4` of a download gives its first four bytes, and not its last.";
    M153 DomainLowered "domain-lowered" "§4.3"
        "A PATCH stores a domain in small letters.";
    M154 EqualFieldStopsChange "equal-field-stops-change" "R2"
        "A PATCH with a name or domain that the partner has already changes nothing else either.";
    M155 ActiveAloneChanged "active-alone-changed" "§4.3"
        "A PATCH of a partner that is not active is refused.";
    M156 ColumnsExchanged "columns-exchanged" "S2"
        "The PDF has each line's amount and source amount in the other's column.";
    M157 MoreParametersIgnored "more-parameters-ignored" "S9"
        "Parameters behind those of a link are not covered by its signature.";
    M158 NarrowAcceptRefused "narrow-accept-refused" "§4.1"
        "A request that accepts other media types than JSON alone is answered 406.";
    M159 OpenRangeCut "open-range-cut" "S9"
        "The range `bytes=2-` of a download lacks the last byte.";
    M160 ReferenceTrimmed "reference-trimmed" "R2"
        "Blanks around a tier's id are taken off.";
}
