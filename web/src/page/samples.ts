/** Sample data: the package's own demo files. */

import digits from "../../../src/calibrant/data/digits-choices.csv?raw";
import answers from "../../../src/calibrant/data/digits-answers.csv?raw";
import tumours from "../../../src/calibrant/data/breast-cancer.csv?raw";

export const SAMPLES = [
  { name: "breast-cancer.csv", label: "input.sample.tumours", text: tumours },
  { name: "digits-answers.csv", label: "input.sample.answers", text: answers },
  { name: "digits-choices.csv", label: "input.sample.digits", text: digits },
];
