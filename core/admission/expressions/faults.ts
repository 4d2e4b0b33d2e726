/** A policy or binding can't be applied to a request; its failure policy decides what follows. */
export class ConfigurationError extends Error {}

/** The cost budget is used up: nothing further is evaluated. */
export class OutOfBudget extends ConfigurationError {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run')
  }
}
