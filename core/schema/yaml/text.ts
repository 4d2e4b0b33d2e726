/**
 * YAML of this server's own making; request/yaml.ts parses what clients send.
 * Go readers use YAML 1.1: `yes` and `0777` are quoted, and characters that they treat as line breaks or reject are escaped.
 */
import type { Json } from '../model.ts'
import { readYaml } from './reader.ts'
import { writeYaml } from './writer.ts'

export const yamlText = (value: unknown): string => writeYaml(value as Json)

/** Parses one document that this server or the reference server wrote. Throws an Error with the position. */
export const parseYamlText = (text: string): Json => readYaml({ text })
