//! Affiliate links, clicks and conversions (X18–X20).

mod races;
