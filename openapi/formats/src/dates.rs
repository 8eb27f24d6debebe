//! Dates and times of RFC 3339 § 5.6.

/// The number of the digits that `text` consists of; `None` where one is none.
fn digits(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Three numbers with a separator: four, two and two digits, or two of each.
fn numbers(text: &str, separator: char, lengths: [usize; 3]) -> Option<[u32; 3]> {
    let mut parts = text.split(separator);
    let mut number = |length| parts.next().filter(|part| part.len() == length).and_then(digits);
    let numbers = [number(lengths[0])?, number(lengths[1])?, number(lengths[2])?];
    parts.next().is_none().then_some(numbers)
}

pub(crate) fn is_date(text: &str) -> bool {
    numbers(text, '-', [4, 2, 2]).is_some_and(|[year, month, day]| {
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 => 28 + u32::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => 0,
        };
        (1..=days).contains(&day)
    })
}

pub(crate) fn is_date_time(text: &str) -> bool {
    let parts = text.split_once(['T', 't']);
    parts.is_some_and(|(date, time)| is_date(date) && is_time(time))
}

/// A time with an offset. A leap second is one at the end of a day in UTC.
pub(crate) fn is_time(text: &str) -> bool {
    let at = text.find(['Z', 'z', '+', '-']).unwrap_or(text.len());
    let (time, offset) = text.split_at(at);
    let (whole, fraction) = time.split_once('.').map_or((time, "0"), |(time, it)| (time, it));
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let (Some([hour, minute, second]), Some(offset)) =
        (numbers(whole, ':', [2, 2, 2]), minutes_ahead(offset))
    else {
        return false;
    };
    let in_utc = ((hour * 60 + minute).cast_signed() - offset).rem_euclid(24 * 60);
    let is_second = second < 60 || second == 60 && in_utc == 24 * 60 - 1;
    is_fraction && hour < 24 && minute < 60 && is_second
}

/// The minutes of an offset, such as `Z` or `-05:30`.
fn minutes_ahead(offset: &str) -> Option<i32> {
    let (sign, rest) = offset.split_at_checked(1)?;
    if sign.eq_ignore_ascii_case("z") {
        return rest.is_empty().then_some(0);
    }
    let [hours, minutes, _] = numbers(&format!("{rest}:00"), ':', [2, 2, 2])?;
    let ahead = (hours * 60 + minutes).cast_signed();
    (hours < 24 && minutes < 60).then_some(if sign == "-" { -ahead } else { ahead })
}
