/** Numbers for the places of a few fields: most values have no more at a time. */
const few = 192

/** Where fields have been written: triples of the leaf's index, start and end, for all messages that are being written. */
export class Written {
  #triples = new Int32Array(few)
  #places = new Int32Array(few)
  size = 0

  push(index: number, start: number, end: number): void {
    if (this.size + 3 > this.#triples.length) {
      const grown = new Int32Array(this.#triples.length * 2)
      grown.set(this.#triples)
      this.#triples = grown
    }
    this.#triples[this.size] = index
    this.#triples[this.size + 1] = start
    this.#triples[this.size + 2] = end
    this.size += 3
  }

  /** Start and end of each of `count` leaves since `from`, two numbers a leaf; a later one counts. Both 0: not written. */
  places(from: number, count: number): Int32Array {
    if (this.#places.length < count * 2) this.#places = new Int32Array(count * 2)
    const places = this.#places
    places.fill(0, 0, count * 2)
    for (let at = from; at < this.size; at += 3) {
      const leaf = (this.#triples[at] as number) * 2
      places[leaf] = this.#triples[at + 1] as number
      places[leaf + 1] = this.#triples[at + 2] as number
    }
    return places
  }
}
