//! Pieces of every size, ranges across them, and every way to be wrong.

use super::*;

fn reader(pieces: &[&'static [u8]], expected: &[u8], selected: Range<u64>) -> Reader {
    let pieces: Vec<_> = pieces.iter().map(|piece| Ok(Bytes::from_static(piece))).collect();
    Reader {
        body: stream::iter(pieces).boxed(),
        expected: expected.len() as u64,
        sha256: Sha256::digest(expected).into(),
        hash: Some(Sha256::new()),
        read_bytes: 0,
        selected,
        held_back: None,
    }
}

/// What is returned before the end, and the end.
async fn run(reader: Reader) -> (Vec<u8>, Result<(), String>) {
    let mut pieces = stream::try_unfold(reader, Reader::next).boxed();
    let mut returned = Vec::new();
    loop {
        match pieces.try_next().await {
            Ok(Some(piece)) => returned.extend(piece),
            Ok(None) => return (returned, Ok(())),
            Err(error) => return (returned, Err(error.to_string())),
        }
    }
}

#[tokio::test]
async fn every_range_of_every_division_is_returned() {
    for pieces in [&[&b"abcdef"[..]][..], &[b"a", b"bcde", b"f"], &[b"abc", b"def"]] {
        for begin in 0..6 {
            for end in begin + 1..=6 {
                let (returned, outcome) = run(reader(pieces, b"abcdef", begin..end)).await;
                outcome.unwrap();
                assert_eq!(returned, b"abcdef"[begin as usize..end as usize], "{pieces:?}");
            }
        }
    }
}

#[tokio::test]
async fn wrong_object_never_returns_the_last_piece_of_what_is_selected() {
    let wrong: [(&[&[u8]], &str); 6] = [
        (&[b"Xbc", b"def"], "other bytes"),
        (&[b"abc", b"deX"], "other bytes"),
        (&[b"abc"], "3 bytes instead of 6"),
        (&[], "0 bytes instead of 6"),
        (&[b"abc", b"", b"def"], "3 bytes instead of 6"),
        (&[b"abc", b"defg"], "7 bytes instead of 6"),
    ];
    for (pieces, message) in wrong {
        for selected in [0..6, 0..1, 0..3, 2..4, 5..6] {
            let length = selected.end - selected.start;
            let (returned, outcome) = run(reader(pieces, b"abcdef", selected)).await;
            assert!((returned.len() as u64) < length, "{pieces:?}: {returned:?}");
            let error = outcome.unwrap_err();
            assert!(error.contains(message), "{pieces:?}: {error}");
        }
    }
}

#[tokio::test]
async fn piece_is_returned_as_soon_as_the_next_one_is_read() {
    let first = reader(&[b"abc", b"def", b"ghi"], b"abcdefghi", 0..9).next().await.unwrap();
    let (piece, reader) = first.unwrap();
    assert_eq!((&piece[..], reader.read_bytes), (&b"abc"[..], 6));
}
