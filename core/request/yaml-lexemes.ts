import { Lexer } from 'yaml'

/** The library's mark of a plain scalar, which comes before its text. */
const plainScalar = '\u001f'
const flowIndicators = new Set([',', '[', ']', '{', '}'])

/**
 * The lexemes of a text as the reference's parser would have them: a colon ends a plain scalar only before white space, so that
 * `[001:db8::]` holds a text. The library also ends it before the end of a flow collection.
 */
export function* yamlLexemes(text: string): Generator<string> {
  /** A plain scalar, the colon behind it, and the empty scalar that the library puts behind that. */
  let held: string[] = []
  let last = ''
  for (const lexeme of new Lexer().lex(text)) {
    const isPart = held.length > 0 && lexeme === [':', plainScalar, ''][held.length - 1]
    if (held.length === 0 ? last === plainScalar : isPart) {
      held.push(lexeme)
    } else if (held.length > 1 && flowIndicators.has(lexeme)) {
      yield `${held[0]}:`
      yield lexeme
      held = []
    } else if (held.length === 3) {
      // The mark that is held belongs to this scalar.
      yield* held
      held = [lexeme]
    } else {
      yield* held
      yield lexeme
      held = []
    }
    last = lexeme
  }
  yield* held
}
