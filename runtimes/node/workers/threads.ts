import type { OtherThreads } from '../../../core/ports.ts'

type Ask = (topic: string, about: unknown, milliseconds: number) => Promise<readonly unknown[]>

/** What a thread answers when others ask. */
export class Threads implements OtherThreads {
  readonly name: string
  readonly #ask: Ask
  readonly #answers = new Map<string, (about: unknown) => unknown>()

  constructor(name: string, ask: Ask) {
    this.name = name
    this.#ask = ask
  }

  answer(topic: string, answer: (about: unknown) => unknown): void {
    this.#answers.set(topic, answer)
  }

  ask(topic: string, about?: unknown, milliseconds = 0): Promise<readonly unknown[]> {
    return this.#ask(topic, about, milliseconds)
  }

  /** This thread's answer. Throws an Error when it has none. */
  answerTo(topic: string, about: unknown): unknown {
    const answer = this.#answers.get(topic)
    if (answer === undefined) throw new Error(`no answer: ${topic}`)
    return answer(about)
  }
}
