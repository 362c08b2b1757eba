/** Why a registration was refused: a programming error of whoever registered. */
export class RegistrationError extends Error {
  /** `problem` names the thing and what is wrong with it; `repair` says what to do, where that isn't the same. */
  constructor(problem: string, repair?: string, options?: ErrorOptions) {
    super(repair === undefined ? problem : `${problem}: ${repair}`, options)
    this.name = 'RegistrationError'
  }
}

/** Does it: what it throws, whatever the part calls that, is a mistake of the caller. `subject` begins the sentence. */
export function asRegistration<T>(make: () => T, subject = '', repair?: string): T {
  try {
    return make()
  } catch (thrown) {
    const problem = thrown instanceof Error ? thrown.message : String(thrown)
    throw new RegistrationError(subject === '' ? problem : `${subject}: ${problem}`, repair, {
      cause: thrown,
    })
  }
}
