//! Layers of options: what is typed is over a program's wishes, these over the project's file, that
//! over the user's.

use std::path::PathBuf;

use super::error::OptionError;
use super::values::{CheckedValue, OptionType, Refused, YesOrNo};

/// The owner of a file of defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultsOwner {
    /// The project; its file may have come with it.
    Project,
    /// The user, for all their projects.
    User,
}

/// Where a value comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// A typed line, or the request of a program.
    #[default]
    Request,
    /// A line of a file of defaults, with the words in it.
    File { path: PathBuf, line: usize, words: String },
}

/// The value of an option, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set<T> {
    pub value: T,
    pub from: Origin,
}

impl<T> From<T> for Set<T> {
    fn from(value: T) -> Self {
        Self { value, from: Origin::Request }
    }
}

impl<T> std::ops::Deref for Set<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: std::str::FromStr<Err = Refused>> std::str::FromStr for Set<T> {
    type Err = Refused;

    fn from_str(text: &str) -> Result<Self, Refused> {
        text.parse::<T>().map(Self::from)
    }
}

#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Set<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}

/// True if the flag is set to yes.
pub fn is_yes(flag: &Option<Set<YesOrNo>>) -> bool {
    flag.as_ref().is_some_and(|flag| flag.0)
}

/// An option of a layer: one value, or several.
pub trait Field {
    /// Takes the texts that a file or a program has under the option's name.
    fn take(&mut self, name: &str, texts: &[String], from: &Origin) -> Result<(), OptionError>;

    /// Where its value comes from. `None`: it has no value.
    fn origin(&self) -> Option<&Origin>;

    /// An example, as it follows the option's name.
    fn example(&self) -> &'static str;
}

impl<T: OptionType> Field for Option<Set<T>> {
    fn take(&mut self, name: &str, texts: &[String], from: &Origin) -> Result<(), OptionError> {
        match T::read_all(texts) {
            Some(read) if self.is_none() => {
                let value = option_value(name, &texts.join(", "), read)?;
                *self = Some(Set { value, from: from.clone() });
                Ok(())
            }
            _ => Err(OptionError::Repeated(name.to_owned())),
        }
    }

    fn origin(&self) -> Option<&Origin> {
        self.as_ref().map(|set| &set.from)
    }

    fn example(&self) -> &'static str {
        T::EXAMPLE
    }
}

impl<T: OptionType> Field for Vec<Set<T>> {
    fn take(&mut self, name: &str, texts: &[String], from: &Origin) -> Result<(), OptionError> {
        for text in texts {
            let value = option_value(name, text, T::read(text))?;
            self.push(Set { value, from: from.clone() });
        }
        Ok(())
    }

    fn origin(&self) -> Option<&Origin> {
        self.first().map(|set| &set.from)
    }

    fn example(&self) -> &'static str {
        T::EXAMPLE
    }
}

fn option_value<T: OptionType>(
    name: &str,
    text: &str,
    read: CheckedValue<T>,
) -> Result<T, OptionError> {
    read.map_err(|why| Refused::new(why, T::EXAMPLE).of(&format!("--{name}"), text))
}

/// A part of a layer, which gives way to the same part of a nearer one.
pub trait Over {
    /// What has a value here, and `below` for the rest.
    fn over(self, below: Self) -> Self;
}

impl<T> Over for Option<T> {
    fn over(self, below: Self) -> Self {
        self.or(below)
    }
}

impl<T> Over for Vec<T> {
    fn over(self, below: Self) -> Self {
        if self.is_empty() { below } else { self }
    }
}

/// Options that one file or one program may set.
pub trait Layer: Default {
    /// Calls `see` with each option: its name, its value and Anvil's default.
    fn each(&mut self, see: &mut dyn FnMut(&str, &mut dyn Field, &'static str));

    /// The names of the options.
    fn names() -> Vec<String> {
        let mut names = Vec::new();
        Self::default().each(&mut |name, _, _| names.push(name.to_owned()));
        names
    }

    /// Takes the texts under a name. `None`: there is no such option here.
    fn take(
        &mut self,
        name: &str,
        texts: &[String],
        from: &Origin,
    ) -> Option<Result<(), OptionError>> {
        let mut taken = None;
        self.each(&mut |own, field, _| {
            if own == name {
                taken = Some(field.take(name, texts, from));
            }
        });
        taken
    }
}

impl<A: Layer, B: Layer> Layer for (A, B) {
    fn each(&mut self, see: &mut dyn FnMut(&str, &mut dyn Field, &'static str)) {
        self.0.each(see);
        self.1.each(see);
    }
}

impl<A: Layer, B: Layer, C: Layer> Layer for (A, B, C) {
    fn each(&mut self, see: &mut dyn FnMut(&str, &mut dyn Field, &'static str)) {
        self.0.each(see);
        self.1.each(see);
        self.2.each(see);
    }
}

/// Declares a struct of options, each once: its help, clap's attributes, the value of the option
/// alone, its type, and Anvil's default. `[GROUP: TYPE]` is a struct of options in it.
macro_rules! layer {
    (
        $(#[doc = $about:literal])*
        pub struct $name:ident {
            $([$group:ident: $group_type:ty])*
            $(
                $(#[doc = $help:literal])*
                $(#[arg($($arg:tt)*)])+
                $(#[alone = $alone:literal])?
                $field:ident: $type:ty = $default:literal,
            )*
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[cfg_attr(feature = "clap", derive(clap::Args))]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub struct $name {
            $(
                #[cfg_attr(feature = "clap", command(flatten))]
                #[cfg_attr(feature = "schema", schemars(flatten))]
                pub $group: $group_type,
            )*
            $(
                $(#[doc = $help])*
                #[cfg_attr(feature = "clap", arg(long))]
                $(#[cfg_attr(feature = "clap", arg($($arg)*))])+
                $(#[cfg_attr(
                    feature = "clap",
                    arg(num_args = 0..=1, require_equals = true, default_missing_value = $alone)
                )])?
                #[cfg_attr(feature = "schema", schemars(default))]
                pub $field: $type,
            )*
        }

        impl $crate::options::layer::Over for $name {
            fn over(self, below: Self) -> Self {
                Self {
                    $($group: self.$group.over(below.$group),)*
                    $($field: self.$field.over(below.$field),)*
                }
            }
        }

        impl $crate::options::layer::Layer for $name {
            fn each(
                &mut self,
                see: &mut dyn FnMut(&str, &mut dyn $crate::options::layer::Field, &'static str),
            ) {
                $(self.$group.each(see);)*
                $(see(&stringify!($field).replace('_', "-"), &mut self.$field, $default);)*
            }
        }
    };
}

pub(crate) use layer;
