//! A JSON object whose unknown members are kept apart, so that they can be shown.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::StringDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, forward_to_deserialize_any};
use serde_json::{Map, Value};

/// A struct read from a JSON object, and the members of the object that the struct does not have.
///
/// It is written without the unknown members. Its schema is that of the struct, with further members allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Kept<T> {
    /// What was understood.
    pub known: T,
    /// The members that the struct does not have.
    #[serde(skip)]
    pub unknown: Map<String, Value>,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Kept<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut unknown = Map::new();
        let known = T::deserialize(Object { deserializer, unknown: &mut unknown })?;
        Ok(Self { known, unknown })
    }
}

impl<T: JsonSchema> JsonSchema for Kept<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        schema.insert("additionalProperties".to_owned(), true.into());
        schema
    }
}

/// Reads the struct from an object, and from nothing else.
struct Object<'u, D> {
    deserializer: D,
    unknown: &'u mut Map<String, Value>,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Object<'_, D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.deserializer.deserialize_map(Members { fields, unknown: self.unknown, inner: visitor })
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.deserializer.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The members of an object: the fields go to the inner visitor or map, the rest to `unknown`.
struct Members<'u, I> {
    fields: &'static [&'static str],
    unknown: &'u mut Map<String, Value>,
    inner: I,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Members<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Members { fields: self.fields, unknown: self.unknown, inner: map })
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Members<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(name) = self.inner.next_key::<String>()? {
            if self.fields.contains(&&*name) {
                let name: StringDeserializer<A::Error> = name.into_deserializer();
                return seed.deserialize(name).map(Some);
            }
            self.unknown.insert(name, self.inner.next_value()?);
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(seed)
    }
}
