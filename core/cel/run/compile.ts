/**
 * Compiles a checked tree to closures. Costs are counted as in cel-go's interpreter, also for failures: fixed costs
 * are counted first.
 */
import type { Checked } from '../check/check.ts'
import type { Expr, ListLiteral, MapLiteral, Select, StructLiteral } from '../syntax/ast.ts'
import type { CelType } from '../types.ts'
import { CelError, fail } from '../values/errors.ts'
import { formatValue } from '../values/format.ts'
import { adapt } from '../values/maps.ts'
import { typeOf } from '../values/typing.ts'
import { CelMap, CelObject, CelOptional, CelTypeValue, none, plainKey, read } from '../values/values.ts'
import { compileCall } from './calls.ts'
import { areTrusted, type Code, constant, isAttribute, type Run } from './code.ts'
import { fieldOf, has, prepare, selectField } from './fields.ts'
import { compileFold } from './folds.ts'
import type { Frame, FrameSize } from './frame.ts'

/** Slot of a comprehension's variable. */
export interface Local {
  readonly name: string
  readonly slot: number
  /** An accumulator that only its own loop reads, so that steps may extend it in place. */
  readonly growing: boolean
  readonly trusted: boolean
}

export type NewLocal = Pick<Local, 'name'> & Partial<Local>

export interface CompilerSettings {
  nameOfKey(name: string): string
  readonly foldsConstants: boolean
}

export class Compiler {
  readonly checked: Checked
  /** Map key for a selected name. */
  readonly nameOfKey: (name: string) => string
  #locals: readonly Local[] = []
  #maxLocals = 0
  /** Loops and calls so far. */
  #parts = 0
  readonly #variables = new Map<string, number>()

  /** Constant expressions are evaluated once. */
  readonly foldsConstants: boolean

  constructor(checked: Checked, { nameOfKey, foldsConstants }: CompilerSettings) {
    this.checked = checked
    this.nameOfKey = nameOfKey
    this.foldsConstants = foldsConstants
  }

  /**
   * `nested`: the node is an attribute inside another one (a branch of a condition, an index): only its selections
   * are counted.
   */
  compile(node: Expr, nested = false): Code {
    switch (node.kind) {
      case 'literal':
        return constant(node.value)
      case 'ident':
        return this.#identifier(node, node.name, nested)
      case 'select':
        return this.#select(node, nested)
      case 'call':
        return compileCall(this, node, nested)
      case 'list':
        return this.#list(node)
      case 'map':
        return this.#map(node)
      case 'struct':
        return this.#struct(node)
      case 'fold':
        return compileFold(this, node)
    }
  }

  local(name: string): Local | undefined {
    return this.#locals.find((each) => each.name === name)
  }

  /** Compiles with additional variables; slots are reused when they are out of scope. */
  withLocals<T>(names: readonly NewLocal[], compile: (locals: readonly Local[]) => T): T {
    const before = this.#locals
    const added = names.map(({ name, growing = false, trusted = false }, index) => ({
      name,
      growing,
      trusted,
      slot: before.length + index,
    }))
    this.#locals = [...added, ...before]
    this.#maxLocals = Math.max(this.#maxLocals, this.#locals.length)
    const result = compile(added)
    this.#locals = before
    return result
  }

  /** A number for a call, by which the frame knows it. */
  numberOfCall(): number {
    return this.#parts++
  }

  /** Number of a loop, and of the last loop or call inside it. */
  numbered<T>(compile: () => T): readonly [number: number, last: number, compiled: T] {
    const number = this.#parts++
    const compiled = compile()
    return [number, this.#parts - 1, compiled]
  }

  /** Frame size; read it after compilation. */
  get size(): FrameSize {
    return { locals: this.#maxLocals, variables: this.#variables.size }
  }

  #identifier(node: Expr, name: string, nested: boolean): Code {
    const units = nested ? 0 : 1
    const local = this.local(name)
    if (local) {
      const { slot, trusted } = local
      return {
        trusted,
        run(frame) {
          const value = frame.locals[slot]
          frame.spend(units)
          if (value instanceof CelError) throw value
          return value
        },
      }
    }
    const named = this.checked.nameOf(node)
    if (!named || 'value' in named) return constant(new CelTypeValue(named?.value ?? this.checked.typeOf(node)))
    return { run: this.#variable(named.variable, named.type, units), trusted: true }
  }

  #variable(name: string, type: CelType, units: number): Run {
    const slot = this.#variables.get(name) ?? this.#variables.size
    this.#variables.set(name, slot)
    return (frame) => {
      frame.spend(units)
      const known = frame.variables[slot]
      if (known !== undefined) return known
      const raw = frame.bindings[name]
      if (raw === undefined) return fail(`no such attribute(s): ${name}`)
      const value = frame.variable(slot, () => read(type, raw))
      frame.variables[slot] = value
      return value
    }
  }

  /** The operand of a selection; converting a non-attribute costs one unit. */
  operand(node: Expr, nested: boolean): Code {
    const code = this.compile(node, nested)
    if (isAttribute(node) || nested) return code
    return {
      ...code,
      run(frame) {
        frame.spend(1)
        return code.run(frame)
      },
    }
  }

  #select(node: Select, nested: boolean): Code {
    if (this.checked.nameOf(node)) return this.#identifier(node, '', nested)
    const { field } = node
    const key = this.nameOfKey(field)
    if (node.test) {
      const operand = this.operand(node.operand, false).run
      return {
        trusted: true,
        run(frame) {
          try {
            const value = operand(frame)
            const found = has(value, key)
            if (!found && value instanceof CelOptional) frame.spend(-1)
            return found
          } catch (error) {
            if (error instanceof CelError) frame.spend(-1)
            throw error
          }
        },
      }
    }
    const { run: operand, trusted = false } = this.operand(node.operand, nested)
    return {
      trusted,
      run(frame) {
        const value = operand(frame)
        frame.spend(1)
        if (value instanceof CelObject) return fieldOf(frame, value, field) ?? fail(`no such key: ${field}`)
        if (value instanceof CelOptional) prepare(frame, value, key)
        const found = selectField(value, key)
        if (found === none && value instanceof CelOptional) frame.spend(-1)
        return found
      },
    }
  }

  #list({ items }: ListLiteral): Code {
    const codes = items.map(({ value }) => this.compile(value))
    if (this.foldsConstants && codes.every((each) => each.constant) && !items.some(({ optional }) => optional)) {
      return constant(codes.map((each) => each.constant?.value))
    }
    const optional = items.map((each) => each.optional)
    return {
      trusted: areTrusted(codes),
      run(frame) {
        frame.spend(10)
        const values: unknown[] = []
        for (let index = 0; index < codes.length; index++) {
          const value = (codes[index] as Code).run(frame)
          if (optional[index] !== true) values.push(value)
          else if (!(value instanceof CelOptional))
            fail(`cannot initialize optional list element from non-optional value ${formatValue(value)}`)
          else if (value.hasValue) values.push(value.value)
        }
        return values
      },
    }
  }

  #map({ entries }: MapLiteral): Code {
    const codes = entries.map(({ key, value, optional }) => ({ key: this.compile(key), value: this.compile(value), optional }))
    const build = (frame: Frame | undefined) => {
      const map = new CelMap()
      for (const { key, value, optional } of codes) {
        const name = key.run(frame as Frame)
        const entry = value.run(frame as Frame)
        if (!optional) insert(map, name, entry)
        else if (!(entry instanceof CelOptional)) {
          fail(`cannot initialize optional entry '${formatValue(name)}' from non-optional value ${formatValue(entry)}`)
        } else if (entry.hasValue) insert(map, name, entry.value)
      }
      return map
    }
    const fixed = codes.every(({ key, value, optional }) => key.constant && value.constant && !optional)
    if (this.foldsConstants && fixed) return constant(build(undefined))
    return {
      trusted: codes.every(({ key, value }) => areTrusted([key, value])),
      run(frame) {
        frame.spend(30)
        return build(frame)
      },
    }
  }

  #struct(node: StructLiteral): Code {
    const type = this.checked.typeOf(node)
    const codes = node.fields.map(({ field, value, optional }) => ({
      json: type.field?.(field)?.json ?? field,
      field,
      optional,
      run: this.compile(value).run,
    }))
    return {
      trusted: true,
      run(frame) {
        frame.spend(40)
        const fields: [string, unknown][] = []
        for (const { json, field, optional, run } of codes) {
          const value = run(frame)
          if (!optional) fields.push([json, value])
          else if (!(value instanceof CelOptional)) {
            fail(`cannot initialize optional entry '${field}' from non-optional value ${formatValue(value)}`)
          } else if (value.hasValue) fields.push([json, value.value])
        }
        // Not by assignment: a field may be named __proto__.
        return new CelObject(type, Object.fromEntries(fields))
      },
    }
  }
}

/** The last of entries with the same key wins. */
function insert(map: CelMap, key: unknown, value: unknown): void {
  const plain = plainKey(key)
  if (plain === undefined) fail(`unsupported key type: ${typeOf(key).name}`)
  else map.entries.set(plain, [key, adapt(value)])
}
