//! Finds the functions that take a text in the sources, so that none is forgotten.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, FnArg, Item, Signature, Visibility};

/// Types that contain a text and are defined elsewhere.
const TEXTS: &[&str] = &["str", "String", "Cow", "OsStr", "Path", "PathBuf", "Value"];

/// The result of reading the sources.
#[derive(Default)]
struct Sources {
    /// The types that each type consists of.
    made_of: BTreeMap<String, BTreeSet<String>>,
    /// The accessible functions of the modules, with their parameter types.
    functions: BTreeMap<String, BTreeSet<String>>,
}

/// The names in a piece of code.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl<'a> Visit<'a> for Names {
    fn visit_ident(&mut self, ident: &'a syn::Ident) {
        self.0.insert(ident.to_string());
    }

    fn visit_attribute(&mut self, _: &'a Attribute) {}

    fn visit_lifetime(&mut self, _: &'a syn::Lifetime) {}

    fn visit_type_slice(&mut self, slice: &'a syn::TypeSlice) {
        let mut inside = Self::default();
        visit::visit_type_slice(&mut inside, slice);
        // Bytes are foreign text.
        if inside.0.contains("u8") {
            self.0.insert("str".to_owned());
        }
        self.0.extend(inside.0);
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let mut names = Names::default();
        if let syn::Meta::List(list) = &attribute.meta {
            names.0.extend(
                list.tokens
                    .to_string()
                    .split(|char: char| !char.is_alphanumeric())
                    .map(str::to_owned),
            );
        }
        attribute.path().is_ident("cfg") && names.0.contains("test")
    })
}

/// The functions of a package that take a text: those of these modules, or all.
pub(super) fn given_a_text(manifest: &str, modules: &[&str]) -> BTreeSet<String> {
    let own = Path::new(manifest).join("src");
    let mut sources = Sources::default();
    // A type that holds a text may be of any crate.
    for root in fs_err::read_dir(Path::new(manifest).parent().unwrap()).unwrap() {
        let root = root.unwrap().path().join("src");
        let paths = if root.is_dir() { files(&root) } else { Vec::new() };
        for path in paths {
            let below = path.strip_prefix(&root).unwrap().with_extension("");
            let module: Vec<&str> = below
                .iter()
                .map(|part| part.to_str().unwrap())
                .filter(|part| !["mod", "lib"].contains(part))
                .collect();
            let file = syn::parse_file(&fs_err::read_to_string(&path).unwrap()).unwrap();
            let is_wanted = root == own
                && (modules.is_empty()
                    || module.first().is_some_and(|name| modules.contains(name)))
                && module.last() != Some(&"linear");
            sources.items(&file.items, is_wanted.then(|| module.join("::")).as_deref());
        }
    }
    sources.given_a_text()
}

impl Sources {
    fn items(&mut self, items: &[Item], module: Option<&str>) {
        for item in items {
            match item {
                Item::Struct(item) => {
                    let mut names = Names::default();
                    names.visit_fields(&item.fields);
                    self.made_of.entry(item.ident.to_string()).or_default().extend(names.0);
                }
                Item::Enum(item) => {
                    let mut names = Names::default();
                    item.variants.iter().for_each(|variant| names.visit_fields(&variant.fields));
                    self.made_of.entry(item.ident.to_string()).or_default().extend(names.0);
                }
                Item::Type(item) => {
                    let mut names = Names::default();
                    names.visit_type(&item.ty);
                    self.made_of.entry(item.ident.to_string()).or_default().extend(names.0);
                }
                Item::Fn(item) if is_open(&item.vis) && !is_for_tests(&item.attrs) => {
                    self.function(module, None, &item.sig);
                }
                Item::Impl(item) if item.trait_.is_none() && !is_for_tests(&item.attrs) => {
                    let syn::Type::Path(of) = &*item.self_ty else { continue };
                    let name = of
                        .path
                        .segments
                        .last()
                        .map(|segment| segment.ident.to_string())
                        .unwrap_or_default();
                    for inner in &item.items {
                        if let syn::ImplItem::Fn(method) = inner
                            && is_open(&method.vis)
                        {
                            self.function(module, Some(&name), &method.sig);
                        }
                    }
                }
                Item::Mod(item) if !is_for_tests(&item.attrs) => {
                    let inner = item.content.as_ref().map_or(&[][..], |(_, items)| items);
                    let module =
                        module.map(|module| super::joined(module, &item.ident.to_string()));
                    self.items(inner, module.as_deref());
                }
                _ => {}
            }
        }
    }

    /// `module`: none, if its functions are not wanted.
    fn function(&mut self, module: Option<&str>, of: Option<&str>, signature: &Signature) {
        let Some(module) = module else { return };
        let mut names = Names::default();
        names.visit_generics(&signature.generics);
        for input in &signature.inputs {
            match input {
                FnArg::Receiver(_) => names.0.extend(of.map(str::to_owned)),
                FnArg::Typed(typed) => names.visit_type(&typed.ty),
            }
        }
        if names.0.remove("Self") {
            names.0.extend(of.map(str::to_owned));
        }
        let name = of
            .map_or_else(|| signature.ident.to_string(), |of| format!("{of}::{}", signature.ident));
        self.functions.insert(super::known_as(&super::joined(module, &name)), names.0);
    }

    /// The types that contain a text, or another such type.
    fn texts(&self) -> BTreeSet<String> {
        let mut texts: BTreeSet<String> = TEXTS.iter().map(|&name| name.to_owned()).collect();
        loop {
            let holds = |(name, parts): &(&String, &BTreeSet<String>)| {
                !texts.contains(*name) && !parts.is_disjoint(&texts)
            };
            let found: Vec<String> =
                self.made_of.iter().filter(holds).map(|(name, _)| name.clone()).collect();
            if found.is_empty() {
                return texts;
            }
            texts.extend(found);
        }
    }

    /// The functions of the modules that take a text.
    fn given_a_text(&self) -> BTreeSet<String> {
        let texts = self.texts();
        let takes = |(_, names): &(&String, &BTreeSet<String>)| !names.is_disjoint(&texts);
        self.functions.iter().filter(takes).map(|(name, _)| name.clone()).collect()
    }
}

fn is_open(visibility: &Visibility) -> bool {
    !matches!(visibility, Visibility::Inherited)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let paths = fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| match path.extension() {
            _ if path.is_dir() => files(&path),
            Some(extension) if extension == "rs" => vec![path],
            _ => Vec::new(),
        })
        .collect()
}
