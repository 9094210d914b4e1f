//! A path in JSON: a text, or serde's form of an `OsString` if it is not UTF-8.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form<'a> {
    Text(Cow<'a, str>),
    Native(OsString),
}

pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    let form = match path.to_str() {
        Some(text) => Form::Text(text.into()),
        None => Form::Native(path.as_os_str().to_owned()),
    };
    form.serialize(serializer)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    Ok(match Form::deserialize(deserializer)? {
        Form::Text(text) => text.into_owned().into(),
        Form::Native(name) => name.into(),
    })
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt as _;

    #[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
    struct Record {
        #[serde(with = "super")]
        root: PathBuf,
    }

    #[test]
    fn every_path_round_trips_and_most_stay_plain_text() {
        for bytes in
            [b"/tmp/a b".to_vec(), "/tmp/\u{FFFD}ü".into(), b"/tmp/p\xFFq".to_vec(), Vec::new()]
        {
            let record = Record { root: OsString::from_vec(bytes).into() };
            let text = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record, "{text}");
            assert_eq!(text.contains("Unix"), record.root.to_str().is_none(), "{text}");
        }
        assert_eq!(
            serde_json::to_string(&Record { root: "/a".into() }).unwrap(),
            r#"{"root":"/a"}"#
        );
    }
}
