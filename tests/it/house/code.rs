//! The sources as a parser reads them: modules, their definitions and uses, and functions. Code
//! that is compiled only for tests is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Attribute, FnArg, Item, UseTree};

/// The path of a module: `["state", "lock"]` is `src/storage/lock.rs` or `src/state/lock/mod.rs`.
pub(super) type Place = Vec<String>;

/// A file of src.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) place: Place,
    /// Its path below the package's folder.
    pub(super) path: String,
    /// Its text without the code for tests.
    pub(super) code: String,
}

/// A function or method with a body.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// `engine/run::Run::step`.
    pub(super) name: String,
    pub(super) lines: usize,
    pub(super) parameters: usize,
    pub(super) has_two_bools_in_a_row: bool,
}

/// A module, in its own file or in braces.
#[derive(Debug, Default)]
struct Module {
    /// Its file.
    file: Place,
    /// The names of its items.
    defines: BTreeSet<String>,
    /// Its imports: the path, and the local name, `*` for everything.
    imports: Vec<(Vec<String>, String)>,
    /// The other paths in its code.
    paths: BTreeSet<Vec<String>>,
}

/// The parsed sources.
#[derive(Debug, Default)]
pub(super) struct Sources {
    pub(super) files: Vec<Source>,
    pub(super) functions: Vec<Function>,
    modules: BTreeMap<Place, Module>,
}

/// From a file to a file that defines something it uses.
pub(super) type Arrow = (Place, Place);

static SOURCES: LazyLock<Sources> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    walk(&root.join("src"), &mut |path| {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
        found.push((name, fs_err::read_to_string(path).unwrap()));
    });
    found.sort();
    Sources::parse(&found)
});

/// The sources of the program.
pub(super) fn sources() -> &'static Sources {
    &SOURCES
}

/// Every file of Rust below a folder.
fn walk(folder: &Path, found: &mut impl FnMut(&Path)) {
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found(&path);
        }
    }
}

impl Sources {
    /// Reads files: path below the package's folder, and text.
    pub(super) fn parse(files: &[(String, String)]) -> Self {
        let parsed: Vec<_> = files
            .iter()
            .map(|(path, text)| {
                let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
                (place_of(path), path, text, file)
            })
            .collect();
        let mut for_tests = BTreeSet::new();
        for (place, _, _, file) in &parsed {
            for item in &file.items {
                if let Item::Mod(module) = item
                    && is_for_tests(&module.attrs)
                {
                    for_tests.insert([place.as_slice(), &[module.ident.to_string()]].concat());
                }
            }
        }
        let mut sources = Self::default();
        for (place, path, text, file) in parsed {
            if !for_tests.contains(&place) {
                sources.read(place, path, text, &file);
            }
        }
        sources
    }

    fn read(&mut self, place: Place, path: &str, text: &str, file: &syn::File) {
        let mut reader = Reader { place: place.clone(), file: place.clone(), ..Reader::default() };
        reader.module(&file.items);
        self.modules.append(&mut reader.modules);
        self.functions.append(&mut reader.functions);
        let is_code = |line: &usize| !reader.for_tests.iter().any(|(a, b)| (a..=b).contains(&line));
        let lines = text.lines().enumerate().filter(|(at, _)| is_code(&(at + 1)));
        let code = lines.flat_map(|(_, line)| [line, "\n"]).collect();
        self.files.push(Source { place, path: path.to_owned(), code });
    }

    /// Which file knows which.
    pub(super) fn arrows(&self) -> BTreeSet<Arrow> {
        let mut arrows = BTreeSet::new();
        for (place, module) in &self.modules {
            let imports = module.imports.iter().map(|(path, _)| (path, true));
            for (path, is_import) in imports.chain(module.paths.iter().map(|path| (path, false))) {
                for known in self.resolve(place, path, is_import, &mut BTreeSet::new()) {
                    let file = &self.modules[&known].file;
                    if *file != module.file {
                        arrows.insert((module.file.clone(), file.clone()));
                    }
                }
            }
        }
        arrows
    }

    /// The modules that define the target of this path. The last part of an import may be a module
    /// too.
    fn resolve(
        &self,
        place: &[String],
        path: &[String],
        is_import: bool,
        seen: &mut BTreeSet<(Place, Vec<String>)>,
    ) -> BTreeSet<Place> {
        if !seen.insert((place.to_vec(), path.to_vec())) {
            return BTreeSet::new();
        }
        let Some((first, after)) = path.split_first() else { return BTreeSet::new() };
        match first.as_str() {
            "crate" | "anvil" => {
                // The programs reach every room through this module.
                let is_internal = after.first().is_some_and(|name| name == "internal");
                self.find(&[], &after[usize::from(is_internal)..], is_import, seen)
            }
            "self" => self.find(place, after, is_import, seen),
            "super" if place.is_empty() => BTreeSet::new(),
            "super" => {
                let above = &place[..place.len() - 1];
                if after.first().is_some_and(|name| name == "super") {
                    self.resolve(above, after, is_import, seen)
                } else {
                    self.find(above, after, is_import, seen)
                }
            }
            _ => self.find(place, path, is_import, seen),
        }
    }

    /// The modules that define the target of this path for this module.
    fn find(
        &self,
        place: &[String],
        path: &[String],
        is_import: bool,
        seen: &mut BTreeSet<(Place, Vec<String>)>,
    ) -> BTreeSet<Place> {
        let Some((name, after)) = path.split_first() else {
            return if is_import { BTreeSet::from([place.to_vec()]) } else { BTreeSet::new() };
        };
        let Some(module) = self.modules.get(place) else { return BTreeSet::new() };
        let mut found = BTreeSet::new();
        let child = [place, std::slice::from_ref(name)].concat();
        if self.modules.contains_key(&child) {
            found.append(&mut self.find(&child, after, is_import, seen));
            if !after.is_empty() {
                return found;
            }
        }
        if module.defines.contains(name) {
            found.insert(place.to_vec());
        }
        for (import, _) in module.imports.iter().filter(|(_, known)| known == name) {
            // A path that begins with the item's own name belongs to another package.
            if import.first() == Some(name) && !self.modules.contains_key(&child) {
                continue;
            }
            let whole = [import.as_slice(), after].concat();
            found.append(&mut self.resolve(place, &whole, is_import, seen));
        }
        if found.is_empty() {
            for (import, _) in module.imports.iter().filter(|(_, known)| known == "*") {
                let whole = [import.as_slice(), path].concat();
                found.append(&mut self.resolve(place, &whole, is_import, seen));
            }
        }
        found
    }
}

/// The module path of a file: `src/cli/doctor/mod.rs` is `cli::doctor`.
fn place_of(path: &str) -> Place {
    let below = path.strip_prefix("src/").unwrap().trim_end_matches(".rs");
    let parts = below.split('/').map(str::to_owned);
    if below == "lib" { Vec::new() } else { parts.filter(|part| part != "mod").collect() }
}

/// Whether an item is compiled only for tests.
pub(super) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        let tokens = list.tokens.to_string();
        let mut words = tokens.split(|char: char| !char.is_alphanumeric() && char != '_');
        let mut names = words.clone();
        list.path.is_ident("cfg")
            && words.any(|word| word == "test")
            && !names.any(|word| word == "not")
    })
}

/// Reads the modules of a file.
#[derive(Default)]
struct Reader {
    place: Place,
    file: Place,
    modules: BTreeMap<Place, Module>,
    functions: Vec<Function>,
    /// The type whose methods are read.
    subject: Option<String>,
    /// The lines of the test code: the first and the last.
    for_tests: Vec<(usize, usize)>,
}

impl Reader {
    fn module(&mut self, items: &[Item]) {
        let module = Module { file: self.file.clone(), ..Module::default() };
        self.modules.insert(self.place.clone(), module);
        for item in items {
            if let Some(name) = name_of(item).filter(|_| !is_for_tests(attributes_of(item))) {
                self.here().defines.insert(name);
            }
            self.visit_item(item);
        }
    }

    fn here(&mut self) -> &mut Module {
        self.modules.get_mut(&self.place).unwrap()
    }

    /// Removes the code for tests.
    fn skips(&mut self, attributes: &[Attribute], item: &impl syn::spanned::Spanned) -> bool {
        let skips = is_for_tests(attributes);
        if skips {
            let (first, last) = (item.span().start().line, item.span().end().line);
            self.for_tests.push((first, last));
        }
        skips
    }

    fn import(&mut self, tree: &UseTree, before: &[String]) {
        match tree {
            UseTree::Path(part) => {
                self.import(&part.tree, &[before, &[part.ident.to_string()]].concat());
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, before)),
            UseTree::Name(name) if name.ident == "self" => {
                let known = before.last().cloned().unwrap_or_default();
                self.here().imports.push((before.to_vec(), known));
            }
            UseTree::Name(name) => {
                let path = [before, &[name.ident.to_string()]].concat();
                self.here().imports.push((path, name.ident.to_string()));
            }
            UseTree::Rename(renamed) => {
                let own = renamed.ident.to_string();
                let path = if own == "self" { before.to_vec() } else { [before, &[own]].concat() };
                self.here().imports.push((path, renamed.rename.to_string()));
            }
            UseTree::Glob(_) => self.here().imports.push((before.to_vec(), "*".to_owned())),
        }
    }

    /// The paths in a macro's arguments: names with `::` between them.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.path(std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' && !path.is_empty() => colons += 1,
                TokenTree::Group(group) => {
                    self.path(std::mem::take(&mut path));
                    colons = 0;
                    self.tokens(group.stream());
                }
                _ => {
                    self.path(std::mem::take(&mut path));
                    colons = 0;
                }
            }
        }
        self.path(path);
    }

    fn path(&mut self, path: Vec<String>) {
        // A single name is an item of this module, or an import that counts anyway.
        if path.len() > 1 {
            self.here().paths.insert(path);
        }
    }

    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let is_bool = |input: &FnArg| match input {
            FnArg::Typed(typed) => {
                matches!(&*typed.ty, syn::Type::Path(path) if path.path.is_ident("bool"))
            }
            FnArg::Receiver(_) => false,
        };
        let bools: Vec<bool> = signature.inputs.iter().map(is_bool).collect();
        let subject = self.subject.as_ref().map(|name| format!("{name}::")).unwrap_or_default();
        self.functions.push(Function {
            name: format!("{}::{subject}{}", self.place.join("/"), signature.ident),
            lines: block.span().end().line + 1 - signature.span().start().line,
            parameters: bools.len(),
            has_two_bools_in_a_row: bools.windows(2).any(|pair| pair == [true, true]),
        });
    }
}

impl<'a> Visit<'a> for Reader {
    fn visit_item(&mut self, item: &'a Item) {
        if !self.skips(attributes_of(item), item) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'a syn::ImplItem) {
        let attributes = match item {
            syn::ImplItem::Const(item) => &item.attrs,
            syn::ImplItem::Fn(item) => &item.attrs,
            syn::ImplItem::Type(item) => &item.attrs,
            syn::ImplItem::Macro(item) => &item.attrs,
            _ => return,
        };
        if !self.skips(attributes, item) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'a syn::ItemMod) {
        if let Some((_, items)) = &module.content {
            self.place.push(module.ident.to_string());
            self.module(items);
            self.place.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        self.import(&item.tree, &[]);
    }

    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        let name = match &*item.self_ty {
            syn::Type::Path(path) => path.path.segments.last().map(|part| part.ident.to_string()),
            _ => None,
        };
        let before = std::mem::replace(&mut self.subject, name);
        visit::visit_item_impl(self, item);
        self.subject = before;
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'a syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        self.path(path.segments.iter().map(|part| part.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'a syn::Macro) {
        self.visit_path(&item.path);
        self.tokens(item.tokens.clone());
    }

    // `pub(in path)` uses no other item.
    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}
}

/// The name that an item defines; modules and imports are resolved separately.
fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

fn attributes_of(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
