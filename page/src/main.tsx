import { render } from "preact";
import "./style.css";
import { stayConnected } from "./lib/live";
import "./lib/theme";
import { Shell } from "./shell";

render(<Shell />, document.getElementById("page")!);
void stayConnected();
