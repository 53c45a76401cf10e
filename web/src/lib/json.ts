// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Any value of JSON, and careful looks into it.

/** A value of JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** An object of JSON. */
export type JsonObject = { [key: string]: Json };

/** Whether it is an object, and no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A list's objects. */
export function objects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
