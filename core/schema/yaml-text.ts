/**
 * Values ↔ YAML of this server's own making. What clients send is read by request/yaml.ts.
 * Readers in Go speak YAML 1.1: `yes` and `0777` are quoted, and what they take for a line break or refuse is escaped.
 */
import type { Json } from './model.ts'
import { readYaml } from './yaml/reader.ts'
import { writeYaml } from './yaml/writer.ts'

export const yamlText = (value: unknown): string => writeYaml(value as Json)

/** Reads one document that this server or the reference server wrote. Throws an Error with the place of a fault. */
export const parseYamlText = (text: string): Json => readYaml(text)
